"""The programs of tests/race under snag and under each ThreadSanitizer: which races does who find?

A race is an unordered pair of lines of the program. Every program is built with its bug by each compiler, once with
that compiler's ThreadSanitizer and once by `snag cc`; both run so many times, in turns, and what each tool found in any
of its runs is compared. A side that a tool cannot name is "?"; it stands for any line. So does the call of malloc that
ThreadSanitizer takes for a write of the block: what is meant is a race on the block. What ThreadSanitizer alone reports
is looked for in the program without its bug, too: there it is a false alarm. tests-verdicts.txt explains the rest.
"""

import fnmatch
import importlib.machinery
import importlib.util
import os
import re
import shutil
import sys
import tempfile

import races
from toolchain import ROOT

ALLOCATES = re.compile(r"(m|c|re)alloc|aligned_alloc|posix_memalign|operator new")


def load_runner():
    """tests/run, which knows how its programs are built and what they expect."""
    loader = importlib.machinery.SourceFileLoader("tests_run", os.path.join(ROOT, "tests", "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tests_run", loader))
    dont_write, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = dont_write
    return module


runner = load_runner()


def pair(lines):
    return tuple(sorted([str(line or "?") for line in lines[:2]] + ["?"] * (2 - len(lines[:2]))))


def of_snag(findings, program):
    found = [f for f in findings if f.kind == "data-race" and f.status != "candidate"]
    return {pair([f.site_line(site, program) for site in f.sites]) for f in found}


def line_in(frames, program):
    """The innermost line of the program's own file; none when the access is an allocation."""
    if frames and ALLOCATES.match(frames[0][0]):
        return None
    base = os.path.basename(program.path)
    return next((line for _, file, line in frames if os.path.basename(file) == base), None)


def of_tsan(text, program):
    return {pair([line_in(frames, program) for frames in accesses]) for accesses in races.tsan_races(text)}


def alike(one, two):
    """The same pair, as far as the lines are known."""
    return any(all(a == b or "?" in (a, b) for a, b in zip(one, turned)) for turned in (two, two[::-1]))


def without(some, others):
    """The races of one tool that another one has not found."""
    return {race for race in some if not any(alike(race, other) for other in others)}


class Compared:
    """One program with one compiler."""

    def __init__(self, program, compiler):
        self.program, self.compiler = program, compiler
        self.found = {}  # tool -> the races of all its runs; "twin": ThreadSanitizer's without the bug
        self.trouble = {}  # tool -> why it has none

    def run(self, tools, times):
        work = tempfile.mkdtemp(prefix="snag-pairs.")
        try:
            built = {name: self.build(name, tool, work) for name, tool in tools.items()}
            for _ in range(times):
                for name, tool in tools.items():
                    if built[name] and name not in self.trouble:
                        self.once(name, tool, built[name])
            if self.alone():
                twin = self.build("twin", tools["tsan"], work, fixed=True)
                for _ in range(times if twin else 0):
                    self.once("twin", tools["tsan"], twin)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def alone(self):
        """What ThreadSanitizer has and snag has not."""
        return without(self.found.get("tsan", set()), self.found.get("snag", set()))

    def build(self, name, tool, work, fixed=False):
        folder = os.path.join(work, name)
        os.makedirs(folder)
        try:
            exe = runner.build(tool, self.program, folder, fixed=fixed)
        except runner.Problem as problem:
            self.trouble[name] = str(problem).splitlines()[0]
            return None
        self.found[name] = set()
        return exe

    def once(self, name, tool, exe):
        try:
            _, _, text, findings, _ = tool.run(self.program, exe, os.path.dirname(exe))
        except runner.Problem as problem:  # TSan waits for ever in a deadlock that snag reports
            self.trouble[name] = str(problem).splitlines()[0]
            return
        self.found[name] |= of_tsan(text, self.program) if tool.peer else of_snag(findings, self.program)

    def why(self):
        """What the program says about this ThreadSanitizer."""
        peer = self.compiler + "-tsan"
        lines = [w for w in self.program.values.get("PEER", []) if w.split()[0] in (peer, "tsan")]
        return "; ".join(line.split(" ", 1)[1] for line in lines)


def programs(wanted):
    """Those that come to an end under every tool; all under the default detector."""
    for program in map(runner.Program, runner.discover([])):
        if wanted(program.name) and not any(e.kind == "deadlock" for e in program.expected):
            if "hybrid" in program.get("OPTIONS"):
                program.values.pop("OPTIONS")
            yield program


def compare(snag_build, compilers, wanted, times, log):
    out = []
    for program in programs(wanted):
        log("test %s" % program.name)
        for compiler in compilers:
            if program.wants(compiler) and "cannot" not in program.peer_says(compiler + "-tsan"):
                tools = {"tsan": runner.Peer(compiler + "-tsan"), "snag": runner.Snag(snag_build, compiler)}
                compared = Compared(program, compiler)
                compared.run(tools, times)
                out.append(compared)
    return out


def summary_table(results):
    """For each compiler: programs, pairs of each tool, and of one alone."""
    rows = []
    for compiler in sorted({c.compiler for c in results}):
        own = [c for c in results if c.compiler == compiler]
        pairs = [(c.found.get("tsan", set()), c.found.get("snag", set())) for c in own]
        more = sum(1 for tsan, snag in pairs if without(snag, tsan))
        rows.append([compiler, str(len(own)), str(sum(len(t) for t, _ in pairs)), str(sum(len(s) for _, s in pairs)),
                     str(sum(len(c.alone()) for c in own)), str(sum(len(without(s, t)) for t, s in pairs)),
                     str(more)])
    head = ["object files", "programs", "pairs, ThreadSanitizer", "pairs, snag", "ThreadSanitizer alone", "snag alone",
            "programs with more by snag"]
    return head, rows


def text_of(races):
    return ", ".join("%s-%s" % race for race in sorted(races))


def verdicts():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tests-verdicts.txt"), encoding="utf-8") as file:
        lines = [line.split("|", 1) for line in file if "|" in line and not line.startswith("#")]
    return [(pattern.strip(), why.strip()) for pattern, why in lines]


def verdict_of(program, known):
    return next((why for pattern, why in known if fnmatch.fnmatch(program, pattern)), "not examined")


def alone_table(results):
    """Every pair that ThreadSanitizer has and snag has not."""
    rows, known = [], verdicts()
    for c in results:
        alone = c.alone()
        real = without(alone, c.found.get("twin", set()))
        if alone - real:
            rows.append([c.program.name, c.compiler, text_of(alone - real), "false alarm: without the bug, too"])
        if real:
            rows.append([c.program.name, c.compiler, text_of(real), verdict_of(c.program.name, known)])
    return ["program", "object files", "lines", "verdict"], rows


def more_table(results):
    """Where snag finds more."""
    rows = {}
    for c in results:
        more = without(c.found.get("snag", set()), c.found.get("tsan", set()))
        if more:
            rows.setdefault((c.program.name, text_of(more), c.why()), []).append(c.compiler)
    return (["program", "object files", "lines that snag alone reports", "why not ThreadSanitizer"],
            [[name, ", ".join(compilers), lines, why] for (name, lines, why), compilers in sorted(rows.items())])


def troubles(results):
    """Without the folders of this machine."""
    said = ["%s, %s, %s: %s" % (c.program.name, c.compiler, tool, why) for c in results for tool, why in c.trouble.items()]
    return [re.sub(r"\S*/snag-pairs[^/]*/", "", line.replace(ROOT + "/", "")) for line in said]


def raw(results):
    return [{"program": c.program.name, "compiler": c.compiler, "trouble": c.trouble,
             "found": {tool: sorted(races) for tool, races in c.found.items()}} for c in results]


def render(results, times):
    """Blocks of (title, table, lines) as bench/race/run.py prints them."""
    lines = ["%d runs of each tool, in turns." % times] + ["No result: " + t for t in troubles(results)]
    blocks = [("Programs of tests/race: distinct races, by pair of lines", summary_table(results), lines)]
    for title, table in (("Reported by ThreadSanitizer alone", alone_table(results)),
                         ("Reported by snag alone", more_table(results))):
        blocks.append((title, table if table[1] else None, [] if table[1] else ["None."]))
    return blocks


