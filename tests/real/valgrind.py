#!/usr/bin/env python3
"""Helgrind's and DRD's own test programs under every tool; see valgrind.sh."""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench", "harness"))

import report  # noqa: E402
from toolchain import HARNESS, BuildError, Toolchain, must  # noqa: E402

# As valgrind's own build compiles its tests: not optimised.
FLAGS = ["-g", "-fno-stack-protector", "-w", "-pthread", "-DVGA_amd64=1", "-DVGO_linux=1", "-DVGP_amd64_linux=1"]
# What its configure finds on a Linux of today.
FOUND = """BUILTIN_ATOMIC BUILTIN_ATOMIC_CXX ASM_UNISTD_H CLOCK_MONOTONIC PTHREAD_BARRIER PTHREAD_SPINLOCK
PTHREAD_CONDATTR_SETCLOCK PTHREAD_MUTEX_ERRORCHECK_NP PTHREAD_MUTEX_RECURSIVE_NP PTHREAD_MUTEX_TIMEDLOCK
PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP PTHREAD_RWLOCK_T PTHREAD_RWLOCK_TIMEDRDLOCK
PTHREAD_RWLOCK_TIMEDWRLOCK PTHREAD_YIELD TLS"""
RACE, DEADLOCK, MISUSE, NOTE = "race", "deadlock", "misuse", "note"
WANTED = {"racy": RACE, "deadlock": DEADLOCK, "misuse": MISUSE}
VALGRIND_KINDS = {
    "Race": RACE,
    "ConflictingAccess": RACE,
    "LockOrder": DEADLOCK,
    "CondRaceErr": NOTE,
    "HoldtimeErr": NOTE,
    "GenericErr": NOTE,
}
TSAN_KINDS = [
    (r"data race|heap-use-after-free", RACE),
    (r"lock-order-inversion", DEADLOCK),
    (r"mutex|lock of|unlock", MISUSE),
    (r"", NOTE),
]


class Case:
    """A line of the truth: a program with arguments."""

    def __init__(self, line):
        command, classes, self.note = (part.strip() for part in line.split("|"))
        self.program, *self.arguments = command.split()
        self.name = command
        self.classes = [name.strip() for name in classes.split(",")]

    @property
    def wanted(self):
        return {WANTED[name] for name in self.classes if name in WANTED}

    @property
    def counted(self):
        return "other" not in self.classes


def read_truth():
    with open(os.path.join(HERE, "valgrind-truth.txt"), encoding="utf-8") as file:
        return [Case(line) for line in file if "|" in line and not line.startswith("#")]


class Suite:
    def __init__(self, options):
        self.options = options
        self.tools = Toolchain(options.snag, options.build, options.clangs)
        self.source = os.path.join(self.tools.build, "source", "valgrind")
        self.columns = [c for c in self.tools.columns(options.tools) if c.kind in ("tsan", "snag", "valgrind")]
        self.columns = [c for c in self.columns if ":" not in c.runtime]
        self.failed = {}  # (program, column name) -> why it could not be built

    def prepare(self):
        """The sources, and the two settings that the tests include."""
        must([os.path.join(HARNESS, "fetch.sh"), os.path.dirname(self.source), "valgrind"])
        with open(os.path.join(self.source, "config.h"), "w", encoding="ascii") as file:
            file.write("".join("#define HAVE_%s 1\n" % name for name in FOUND.split()))

    def find_source(self, program):
        folder, name = program.split("/")
        for suffix in (".c", ".cpp"):
            path = os.path.join(self.source, folder, "tests", name + suffix)
            if os.path.exists(path):
                return path
        raise BuildError("no source of %s" % program)

    def build(self, program, column):
        """The program for a column, or None and a reason in self.failed."""
        runtime = "plain" if column.kind == "valgrind" else column.runtime
        out = os.path.join(self.tools.build, "%s.%s+%s" % (program.replace("/", "-"), column.objects, runtime))
        source = self.find_source(program)
        cplusplus = source.endswith(".cpp")
        if column.kind == "snag":
            compiler = [self.tools.snag, "c++" if cplusplus else "cc"]
        else:
            compiler = [self.cxx(column.compiler) if cplusplus else column.compiler]
        env = dict(os.environ, SNAG_CC=column.compiler, SNAG_CXX=self.cxx(column.compiler))
        sanitize = ["-fsanitize=thread"] if column.kind == "tsan" else []
        include = ["-I" + self.source, "-I" + os.path.join(self.source, "include")]
        include.append("-I" + os.path.join(self.source, "coregrind"))
        try:
            must([*compiler, *FLAGS, *sanitize, *include, source, "-lm", "-o", out], env=env)
        except BuildError as error:
            self.failed[program, column.name] = str(error)
            return None
        return out

    @staticmethod
    def cxx(compiler):
        return "g++" if compiler == "gcc" else re.sub(r"clang(-\d+)?$", r"clang++\1", compiler)

    def run(self, case, column, program):
        """The set of what the tool reports, or a word that says why there is none."""
        stem = "%s %s" % (case.name, column.name)
        told = os.path.join(self.tools.build, re.sub(r"\W+", "-", stem) + ".report")
        if os.path.exists(told):
            os.unlink(told)
        argv, env = self.tools.command(column, [program, *case.arguments], told)
        try:
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=dict(os.environ, **env),
                cwd=os.path.dirname(program),
                timeout=self.options.limit,
            )
        except subprocess.TimeoutExpired as expired:
            return self.kinds(column, told, (expired.stderr or b"").decode(errors="replace")) or "over %d s" % self.options.limit
        return self.kinds(column, told, done.stderr.decode(errors="replace"))

    @staticmethod
    def kinds(column, told, errors):
        if column.kind == "tsan":
            return tsan_kinds(errors)
        return snag_kinds(told) if column.kind == "snag" else valgrind_kinds(told)


def tsan_kinds(errors):
    found = set()
    for title in re.findall(r"(?:WARNING|ERROR): ThreadSanitizer: (.*)", errors):
        found.add(next(kind for pattern, kind in TSAN_KINDS if re.search(pattern, title)))
    return found


def valgrind_kinds(path):
    """By pattern: a program that dies leaves a file that is no XML."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            kinds = re.findall(r"<kind>(\w+)</kind>", file.read())
    except OSError:
        return set()
    return {VALGRIND_KINDS.get(kind, MISUSE) for kind in kinds if not kind.endswith("HgClReq")}


def snag_kinds(path):
    names = {"data-race": RACE, "deadlock": DEADLOCK, "lock-order": DEADLOCK, "misuse": MISUSE}
    try:
        with open(path, encoding="utf-8") as file:
            return {names.get(finding["kind"], NOTE) for finding in json.load(file)["findings"]}
    except (OSError, ValueError, KeyError):
        return set()


def measure(suite, cases):
    """(case name, column name) -> what was reported."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(suite.options.jobs) as pool:
        waiting = {}
        for case in cases:
            for column in suite.columns:
                waiting[pool.submit(one, suite, case, column)] = (case.name, column.name)
        for done in concurrent.futures.as_completed(waiting):
            results[waiting[done]] = done.result()
    return results


def one(suite, case, column):
    program = suite.build(case.program, column)
    return suite.run(case, column, program) if program else "no build"


# --- results -------------------------------------------------------------------------------------


def score(cases, results, column):
    """Counts of one tool: races right and wrong, deadlocks and misuses found, and what did not run."""
    counts = dict.fromkeys(("found", "missed", "false", "silent", "deadlock", "misuse", "not run"), 0)
    for case in filter(lambda c: c.counted, cases):
        got = results[case.name, column.name]
        if isinstance(got, str):
            counts["not run"] += 1
            continue
        if "racy" in case.classes:
            counts["found" if RACE in got else "missed"] += 1
        elif "clean" in case.classes:
            counts["false" if got - {NOTE} else "silent"] += 1
        for kind in (DEADLOCK, MISUSE):
            counts[kind] += kind in case.wanted and kind in got
    return counts


def summary_table(suite, cases, results):
    total = {kind: sum(c.counted and kind in c.wanted for c in cases) for kind in (RACE, DEADLOCK, MISUSE)}
    clean = sum("clean" in c.classes for c in cases)
    head = ["tool", "races found (of %d)" % total[RACE], "missed", "false alarms (of %d)" % clean, "silent"]
    head += ["lock orders (of %d)" % total[DEADLOCK], "misuses (of %d)" % total[MISUSE], "not run"]
    rows = []
    for column in suite.columns:
        counts = score(cases, results, column)
        keys = ("found", "missed", "false", "silent", "deadlock", "misuse", "not run")
        rows.append([column.name] + [str(counts[key]) for key in keys])
    return head, rows


def words(got):
    return got if isinstance(got, str) else ", ".join(sorted(got)) or "–"


def disagreements(suite, cases, results):
    """Programs where a tool reports more or less than there is, and those that are not counted."""
    head = ["program", "class"] + [c.name for c in suite.columns]
    rows = []
    for case in cases:
        got = [results[case.name, c.name] for c in suite.columns]
        if not case.counted or any(isinstance(g, str) or g - {NOTE} != case.wanted for g in got):
            rows.append([case.name, ", ".join(case.classes)] + [words(g) for g in got])
    return head, rows


def notes(suite, cases):
    lines = ["%s; %s. %d programs with their arguments." % (report.today(), report.machine(), len(cases))]
    lines.append("Tools: " + "; ".join(suite.tools.versions()) + ".")
    lines += ["Skipped: %s (%s)." % pair for pair in suite.tools.skipped]
    return lines


def render(suite, cases, results, table):
    summary = table(*summary_table(suite, cases, results))
    details = table(*disagreements(suite, cases, results))
    return summary, details


def parse(argv):
    parser = argparse.ArgumentParser(prog="tests/real/valgrind.sh")
    parser.add_argument("--only", type=lambda s: s.split(","), help="programs, as shell patterns: helgrind/tc*")
    parser.add_argument("--tools", type=lambda s: s.split(","), help="OBJECTS/RUNTIME or RUNTIME: gcc/*,snag,drd")
    parser.add_argument("--clangs", type=lambda s: [int(n) for n in s.split(",")], help="versions: 14,19")
    parser.add_argument("--jobs", type=int, default=2, help="programs at once (default 2; most of them sleep)")
    parser.add_argument("--limit", type=int, default=40, help="seconds that one run may take (default 40)")
    parser.add_argument("--snag", default=os.environ.get("SNAG", os.path.join(ROOT, "build", "snag")))
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "bench"), help="folder for what is built")
    parser.add_argument("--write", action="store_true", help="write the tables to doc/results.md")
    return parser.parse_args(argv)


def main(argv):
    options = parse(argv)
    suite = Suite(options)
    suite.prepare()
    cases = [case for case in read_truth() if "skip" not in case.classes]
    if options.only:
        cases = [case for case in cases if any(fnmatch.fnmatch(case.program, p) for p in options.only)]
    results = measure(suite, cases)
    for (program, column), why in sorted(suite.failed.items()):
        print("%s, %s: %s" % (program, column, why), file=sys.stderr)
    summary, details = render(suite, cases, results, report.text_table)
    print("\n".join(notes(suite, cases)), "", summary, "", details, sep="\n")
    if options.write:
        summary, details = render(suite, cases, results, report.markdown_table)
        head = "## Helgrind's and DRD's own tests (`tests/real/valgrind.sh`)"
        text = [head, "", *notes(suite, cases), "", summary, "", "### Where verdicts differ", "", details]
        report.write_section("tests/real/valgrind", "\n".join(text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
