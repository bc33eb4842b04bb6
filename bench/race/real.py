"""Real programs, from Debian's source packages, built once for every column.

pigz and pbzip2 compress a text that is made here (and pbzip2 decompresses it), memcached answers
mcload. The libraries under them (zlib, libbz2, libevent) are Debian's, without instrumentation.
"""

import hashlib
import os
import random
import re
import shutil
import subprocess
import sys

import races
from measure import Cell
from toolchain import HARNESS, ROOT, BuildError, must

FLAGS = "-O2 -g"
FOUND = (66,)  # the status of ThreadSanitizer and of snag when races were found


def make_text(path, size):
    """Words that compress like prose; the same in every run."""
    if os.path.exists(path) and os.path.getsize(path) == size:
        return
    source = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(source.choices(letters, k=source.randint(2, 9))) for _ in range(3000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    with open(path, "wb") as file:
        left = size
        while left > 0:
            block = (" ".join(source.choices(words, weights, k=20000)) + "\n").encode()[:left]
            file.write(block)
            left -= len(block)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if sys.version_info >= (3, 11) else hashlib.sha256(file.read()).hexdigest()


class Compilers:
    """CC and CXX of a column, and the environment that they need.

    Where compiling and linking are different commands, CC is a small script, because configure
    splits CC at its blanks.
    """

    def __init__(self, tools, column):
        self.env = dict(os.environ)
        self.folder = os.path.join(tools.build, "compilers", column.file)
        self.cc = tools.compilers[column.objects]
        self.cxx = self.cxx_of(self.cc)
        if column.kind == "snag":
            self.env.update(SNAG_CC=self.cc, SNAG_CXX=self.cxx)
            self.cc, self.cxx = "%s cc" % tools.snag, "%s c++" % tools.snag
        elif column.kind == "floor":
            self.split(self.cc, self.cxx, tools.floor())
        elif column.kind == "tsan":
            self.split(column.compiler, self.cxx_of(column.compiler), "-fsanitize=thread")

    @staticmethod
    def cxx_of(compiler):
        """g++ for gcc, clang++-19 for clang-19."""
        return "g++" if compiler == "gcc" else re.sub(r"clang(-\d+)?$", r"clang++\1", compiler)

    def split(self, cc_linker, cxx_linker, link_flags):
        self.cc = self.script("cc", self.cc, cc_linker, link_flags)
        self.cxx = self.script("c++", self.cxx, cxx_linker, link_flags)

    def script(self, name, compiler, linker, link_flags):
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, name)
        words = (os.path.join(HARNESS, "split_cc.py"), compiler, linker, link_flags)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec %s '%s -fsanitize=thread' '%s %s' \"$@\"\n" % words)
        os.chmod(path, 0o755)
        return path


class Program:
    """A package, how it is built, and one command that is timed."""

    valgrind_part = 8  # Helgrind and DRD get one in so many
    races_part = 8  # races are counted in such a part, by the other tools

    def __init__(self, bench, name):
        self.bench = bench
        self.tools = bench.tools
        self.name = name
        self.work = os.path.join(bench.options.build, "real")
        os.makedirs(self.work, exist_ok=True)

    def folder(self, column):
        """The built program for a column; a failed build is not tried twice."""
        kind = "plain" if column.kind == "valgrind" else column.file.split("+", 1)[1]
        folder = os.path.join(self.work, "%s.%s+%s" % (self.package, column.objects, kind))
        done = os.path.join(folder, ".built")
        if os.path.exists(done) and not (column.kind == "snag" and self.is_older(done)):
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        source = os.path.join(self.tools.build, "source")
        must([os.path.join(HARNESS, "fetch.sh"), source, self.package])
        shutil.copytree(os.path.join(source, self.package), folder, symlinks=True)
        self.compile(folder, Compilers(self.tools, column))
        with open(done, "w", encoding="ascii"):
            pass
        return folder

    def is_older(self, path):
        """A program linked by another snag than today's is built again."""
        return os.path.getmtime(path) < os.path.getmtime(self.tools.snag)

    def measure(self):
        cells, folders = {}, {}
        columns = [c for c in self.bench.columns if not (self.cross_free and ":" in c.runtime)]
        for column in columns:
            cells[column.name] = Cell()
            try:
                folders[column.name] = self.folder(column)
            except BuildError as error:
                cells[column.name].trouble = "no build"
                print("%s, %s: %s" % (self.name, column.name, error), file=sys.stderr)
        if any(c.kind == "valgrind" for c in columns):
            cells["part"] = Cell()
        self.expected = {}
        for turn in range(self.bench.options.repeat):
            for column in columns:
                if column.name in folders and not cells[column.name].trouble:
                    self.turn(cells, column, folders[column.name], turn)
        for column in columns:
            if column.kind in ("tsan", "snag", "valgrind") and cells[column.name].samples:
                cells[column.name].races = self.count(column, folders[column.name])
        return cells

    def turn(self, cells, column, folder, turn):
        part = self.valgrind_part if column.kind == "valgrind" else 1
        if column.kind == "valgrind":
            if turn >= self.bench.options.valgrind_repeat:
                return
            cells["part"].add(*self.once(None, folder, part))
        cells[column.name].add(*self.once(column, folder, part), ignore_exit=FOUND)

    def once(self, column, folder, part, report=None):
        """One run: the sample, and the output that it should have had."""
        argv, env = self.command(column, folder, part, report)
        sample = self.bench.runner.run(argv, env, self.work)
        self.result(sample, part)
        return sample, self.expected.setdefault(part, sample.output)

    def under(self, column, argv, report):
        return self.tools.command(column, argv, report) if column else (argv, {})

    def count(self, column, folder):
        """The races of some runs together: which are there depends on the schedule."""
        part = self.valgrind_part if column.kind == "valgrind" else self.races_part
        times = 1 if column.kind == "valgrind" else self.bench.options.racy_runs
        found = set()
        for _ in range(times):
            if os.path.exists(self.bench.report):
                os.unlink(self.bench.report)
            sample, _ = self.once(column, folder, part, self.bench.report)
            found |= races.distinct(column, sample, self.bench.report)
        return found


class Compressor(Program):
    """pigz or pbzip2 on a text; the output file is compared with that of the first run."""

    cross_free = False

    def __init__(self, bench, package, suffix, size, decompress=False):
        super().__init__(bench, package + (" -d" if decompress else ""))
        self.package, self.suffix, self.size, self.decompress = package, suffix, size, decompress

    def compile(self, folder, compilers):
        if self.package == "pigz":
            flags = ["CC=" + compilers.cc, "CFLAGS=" + FLAGS]
        else:
            flags = ["CXX=" + compilers.cxx, "CXXFLAGS=" + FLAGS + " -std=gnu++98 -D_FILE_OFFSET_BITS=64 -pthread"]
        must(["make", "-C", folder, self.package, *flags], env=compilers.env)

    def command(self, column, folder, part, report):
        text = os.path.join(self.work, "text.%d" % (self.size // part))
        make_text(text, self.size // part)
        self.output = os.path.join(self.work, "out" + ("" if self.decompress else self.suffix))
        program = os.path.join(folder, self.package)
        source = os.path.join(self.work, "out")
        if self.decompress:
            self.output = source
            source += self.suffix
            packed = text + self.suffix
            if not os.path.exists(packed):
                must([program, "-k", "-f", "-p4", text])
            shutil.copyfile(packed, source)
        else:
            shutil.copyfile(text, source)
            os.utime(source, (1, 1))  # goes into the header of what is written
        mode = ["-d"] if self.decompress else []
        return self.under(column, [program, *mode, "-k", "-f", "-p4", source], report)

    def result(self, sample, part):
        """What was written stands for what was printed."""
        sample.output = digest(self.output) if os.path.exists(self.output) else "nothing"


class Memcached(Program):
    package = "memcached"
    cross_free = False
    requests = 100000
    valgrind_part = 100  # DRD needs 10 ms for a request, and more the more there were
    races_part = 10

    def __init__(self, bench):
        super().__init__(bench, "memcached")
        self.load = self.tools.tool(os.path.join(ROOT, "bench", "race", "mcload.c"))

    def compile(self, folder, compilers):
        must(
            ["./configure", "CC=" + compilers.cc, "CFLAGS=" + FLAGS, "--disable-dependency-tracking"],
            cwd=folder,
            env=compilers.env,
        )
        must(["make", "-C", folder, "-j2", "memcached"], env=compilers.env)

    def command(self, column, folder, part, report):
        server = [os.path.join(folder, "memcached"), "-A", "-U", "0", "-l", "127.0.0.1", "-p", "PORT"]
        server += ["-t", "4", "-m", "64", "-c", "1012", "-u", "root"]
        argv, env = self.under(column, server, report)
        # memcached sets this limit to -c; Valgrind allows only the old one less its own 12 files.
        return ["prlimit", "--nofile=1024", self.load, str(self.requests // part), "8", *argv], env

    def result(self, sample, part):
        """The load's own time; starting and ending the server is not counted."""
        match = re.search(r"seconds ([\d.]+)", sample.output)
        if match:
            sample.seconds = float(match.group(1))
        sample.output = sample.output.split("\n")[0]


def programs(bench):
    """Those whose sources can be had; the others are listed as skipped."""
    wanted = [
        Compressor(bench, "pigz", ".gz", 40 << 20),
        Compressor(bench, "pbzip2", ".bz2", 20 << 20),
        Compressor(bench, "pbzip2", ".bz2", 20 << 20, decompress=True),
        Memcached(bench),
    ]
    usable = []
    for program in wanted:
        if not bench.wanted(program.name):
            continue
        fetch = [os.path.join(HARNESS, "fetch.sh"), os.path.join(bench.tools.build, "source"), program.package]
        if subprocess.call(fetch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0:
            usable.append(program)
        else:
            bench.tools.skipped.append((program.name, "its source package cannot be had"))
    return usable
