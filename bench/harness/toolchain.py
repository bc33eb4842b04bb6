"""The compilers and the tools of this machine, and how a program is built and run for each.

A column of a table is OBJECTS/RUNTIME: who compiled the object files, and what they were linked
with or are run under. Columns with the same OBJECTS share the object files.
"""

import fnmatch
import glob
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HARNESS = os.path.join(ROOT, "bench", "harness")
WARNINGS = ["-Wall", "-Wextra"]


class BuildError(Exception):
    pass


def must(argv, **more):
    """Runs a build step; its output is shown only when it fails."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise BuildError("%s\n%s" % (" ".join(argv), done.stdout))
    return done.stdout


def first_line(argv):
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return ""
    lines = done.stdout.splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else ""


def has_tsan(clang):
    """Whether this clang comes with the runtime of ThreadSanitizer."""
    folder = first_line([clang, "-print-resource-dir"])
    return bool(folder and glob.glob(os.path.join(folder, "lib", "*", "libclang_rt.tsan*.a")))


def find_symbolizer(clang):
    """llvm-symbolizer of this clang, or else of the newest LLVM; its runtime needs one for lines."""
    own = os.path.join(os.path.dirname(os.path.realpath(clang)), "llvm-symbolizer")
    others = sorted(glob.glob("/usr/lib/llvm-*/bin/llvm-symbolizer"), key=lambda path: [len(path), path])
    found = [path for path in [own, shutil.which("llvm-symbolizer"), *reversed(others)] if path]
    return next((path for path in found if os.path.exists(path)), None)


def find_clangs(wanted=None):
    """clang-N of the versions wanted, as (name, command); else Debian's default and the newest."""
    versions = {}
    for folder in os.environ.get("PATH", "").split(":"):
        for path in glob.glob(os.path.join(folder, "clang-[0-9]*")):
            match = re.fullmatch(r"clang-(\d+)", os.path.basename(path))
            if match and os.access(path, os.X_OK) and has_tsan(path):
                versions[int(match.group(1))] = path
    default = re.search(r"version (\d+)", first_line(["clang", "--version"]))
    chosen = {number for number in versions if wanted and number in wanted}
    if wanted:
        return [("clang-%d" % number, versions[number]) for number in sorted(chosen)]
    if default and int(default.group(1)) in versions:
        chosen.add(int(default.group(1)))
    if versions:
        chosen.add(max(versions))
    return [("clang-%d" % number, versions[number]) for number in sorted(chosen)]


class Column:
    """One tool on one set of object files."""

    def __init__(self, objects, runtime, compiler, kind):
        self.objects = objects
        self.runtime = runtime
        self.compiler = compiler  # that links; for plain and floor also that compiles
        self.kind = kind  # plain floor tsan snag valgrind
        self.name = "%s/%s" % (objects, runtime)
        self.file = self.name.replace("/", "+")

    @property
    def instrumented(self):
        return self.kind in ("floor", "tsan", "snag")


class Toolchain:
    """What is installed; builds and command lines for its columns."""

    def __init__(self, snag, build, clangs=None):
        self.snag = os.path.abspath(snag)
        self.build = build
        self.compilers = {"gcc": "gcc"}
        self.skipped = []  # (what, why): shown with the results
        for name, path in find_clangs(clangs):
            self.compilers[name] = path
        self.clangs = [name for name in self.compilers if name != "gcc"]
        if not self.clangs:
            self.skipped.append(("clang", "no clang-N with a ThreadSanitizer runtime on the path"))
        self.has_snag = os.access(self.snag, os.X_OK)
        if not self.has_snag:
            self.skipped.append(("snag", "%s does not exist" % os.path.relpath(self.snag, ROOT)))
        self.has_valgrind = shutil.which("valgrind") is not None
        if not self.has_valgrind:
            self.skipped.append(("helgrind, drd", "valgrind is not installed"))
        os.makedirs(build, exist_ok=True)

    def columns(self, patterns=None):
        """All columns, or those that one of the shell patterns matches (on name or runtime)."""
        every = []
        for objects, compiler in self.compilers.items():
            every.append(Column(objects, "plain", compiler, "plain"))
            every.append(Column(objects, "floor", compiler, "floor"))
            every.append(Column(objects, "tsan", compiler, "tsan"))
            if objects == "gcc":  # gcc's calls are a subset of what clang's runtimes offer
                for clang in self.clangs:
                    every.append(Column(objects, "tsan:" + clang, self.compilers[clang], "tsan"))
            if self.has_snag:
                every.append(Column(objects, "snag", compiler, "snag"))
        if self.has_valgrind:
            every.append(Column("gcc", "helgrind", "gcc", "valgrind"))
            every.append(Column("gcc", "drd", "gcc", "valgrind"))
        if not patterns:
            return every
        return [
            column
            for column in every
            if column.kind == "plain"
            or any(fnmatch.fnmatch(column.name, p) or fnmatch.fnmatch(column.runtime, p) for p in patterns)
        ]

    def tool(self, source, flags=()):
        """Builds a helper program or object of the bench itself once."""
        out = os.path.join(self.build, os.path.basename(source)[:-2] + (".o" if "-c" in flags else ""))
        if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(source):
            must(["gcc", "-O2", "-g", "-pthread", "-D_GNU_SOURCE", *WARNINGS, *flags, source, "-o", out])
        return out

    def floor(self):
        return self.tool(os.path.join(ROOT, "bench", "race", "floor.c"), ["-c", "-mcx16", "-fPIC", "-fno-builtin"])

    def compile(self, source, column, flags):
        """The object file of source for a column; columns with the same OBJECTS share it."""
        suffix = "tsan" if column.instrumented else "plain"
        stem = os.path.splitext(os.path.basename(source))[0]
        out = os.path.join(self.build, "%s.%s.%s.o" % (stem, column.objects, suffix))
        newest = max(os.path.getmtime(path) for path in [source, *glob.glob(os.path.dirname(source) + "/*.h")])
        if os.path.exists(out) and os.path.getmtime(out) > newest:
            return out
        sanitize = ["-fsanitize=thread"] if column.instrumented else []
        must(
            [self.compilers[column.objects], "-g", "-pthread", "-D_GNU_SOURCE", *WARNINGS, *flags, *sanitize, "-c"]
            + [source, "-o", out]
        )
        return out

    def link(self, objects, column, stem):
        """Links for a column and returns the program's path."""
        out = os.path.join(self.build, "%s.%s" % (stem, column.file))
        env = dict(os.environ, SNAG_CC=column.compiler)
        argv = [column.compiler]
        if column.kind == "snag":
            argv = [self.snag, "cc"]
        if column.kind == "tsan":
            argv.append("-fsanitize=thread")
        if column.kind == "floor":
            objects = objects + [self.floor()]
        must(argv + objects + ["-pthread", "-lm", "-o", out], env=env)
        return out

    def program(self, source, column, flags):
        if column.kind == "valgrind":
            column = Column(column.objects, "plain", column.compiler, "plain")
        stem = os.path.splitext(os.path.basename(source))[0]
        return self.link([self.compile(source, column, flags)], column, stem)

    def command(self, column, argv, report=None):
        """The command line and environment that run argv in a column.

        With report, a path, the run is made to tell the races it finds: into that file (snag,
        valgrind) or on its stderr (ThreadSanitizer).
        """
        env = {}
        if column.kind == "snag":
            more = ["--json", report] if report else []
            return [self.snag, "race", "--no-store", "--quiet", *more, "--", *argv], env
        if column.kind == "valgrind":
            more = ["--xml=yes", "--xml-file=" + report] if report else ["--log-file=/dev/null"]
            return ["valgrind", "--tool=" + column.runtime, *more, *argv], env
        if column.kind == "tsan" and "clang" in column.compiler:
            symbolizer = find_symbolizer(column.compiler)
            if symbolizer:
                env["TSAN_OPTIONS"] = "external_symbolizer_path=" + symbolizer
        return [*self.without_randomisation(column), *argv], env

    @staticmethod
    def without_randomisation(column):
        """ThreadSanitizer's older runtimes do not start when too many bits are randomised."""
        if column.kind != "tsan":
            return []
        try:
            with open("/proc/sys/vm/mmap_rnd_bits", encoding="ascii") as file:
                return ["setarch", "-R"] if int(file.read()) > 28 else []
        except OSError:
            return []

    def versions(self):
        """One line per tool, for the head of the results."""
        lines = [first_line([path, "--version"]) for path in self.compilers.values()]
        if self.has_valgrind:
            lines.append(first_line(["valgrind", "--version"]))
        if self.has_snag:
            lines.append(first_line([self.snag, "--version"]))
        return [line for line in lines if line]
