#!/usr/bin/env python3
"""bench/race: what a race detector costs and what it finds.

Four parts: the workloads of this folder and real programs (time and peak memory against plain and against the
floor, races reported), the racy programs (of their races, how many are found), and the programs of tests/race
(which races are found by whom). Every tool runs the same object files where that is possible. Runs are
interleaved, tool after tool, and medians are taken, so that a slow minute of the machine hits all alike. Each
part is a section of doc/results.md, written when the part was run whole.
"""

import argparse
import fnmatch
import glob
import json
import os
import re
import shutil
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "harness"))
sys.path.insert(0, HERE)

import pairs  # noqa: E402
import races  # noqa: E402
import real  # noqa: E402
import report  # noqa: E402
import tables  # noqa: E402
from measure import Cell, Runner  # noqa: E402
from toolchain import ROOT, BuildError, Toolchain  # noqa: E402

WORKLOAD_FLAGS = ["-O2"]
RACY_FLAGS = ["-O1"]
# Valgrind runs one thread at a time and each instruction through its own code: a part of the work
# is enough, and its plain time is measured for the same part.
VALGRIND_PART = 4
# Work grows with this power of the scale; 1 where it is not named.
POWER = {"matrix": 3}


class Workload:
    """One file of this folder."""

    def __init__(self, source):
        self.source = source
        self.name = os.path.splitext(os.path.basename(source))[0]
        with open(source, encoding="utf-8") as file:
            match = re.search(r"work_parse\(argc, argv, (\d+), (\d+)\)", file.read())
        self.threads, self.scale = (int(part) for part in match.groups())

    def arguments(self, part):
        scale = max(1, round(self.scale / part ** (1 / POWER.get(self.name, 1))))
        return [str(self.threads), str(scale)]

    def build(self, tools, column):
        return tools.program(self.source, column, WORKLOAD_FLAGS)


def find_workloads():
    sources = [s for s in sorted(glob.glob(HERE + "/*.c")) if "work_parse(" in open(s, encoding="utf-8").read()]
    return [Workload(source) for source in sources]


def log(text):
    print(text, file=sys.stderr, flush=True)


class Bench:
    def __init__(self, options):
        self.options = options
        self.tools = Toolchain(options.snag, options.build, options.clangs)
        self.columns = self.tools.columns(options.tools)
        self.runner = Runner(self.tools, options.limit)
        self.report = os.path.join(options.build, "races.report")
        self.load = os.getloadavg()[0]

    def wanted(self, name):
        return not self.options.only or any(fnmatch.fnmatch(name, p) for p in self.options.only)

    # --- workloads -------------------------------------------------------------------------------

    def part(self, column):
        part = 4 if self.options.quick else 1
        return part * VALGRIND_PART if column.kind == "valgrind" else part

    def workload(self, workload):
        """Cells by column name; for Valgrind's columns also the plain run of the same part."""
        cells, programs = {}, {}
        for column in self.columns:
            cells[column.name] = Cell()
            try:
                programs[column.name] = workload.build(self.tools, column)
            except BuildError as error:
                cells[column.name].trouble = "no build"
                log("%s, %s: %s" % (workload.name, column.name, error))
        if any(column.kind == "valgrind" for column in self.columns):
            cells["part"] = Cell()
        for turn in range(self.options.repeat):
            self.turn(workload, cells, programs, turn)
        if self.options.races:
            self.count_races(workload, cells, programs)
        return cells

    def turn(self, workload, cells, programs, turn):
        outputs = {}
        for column in self.columns:
            cell = cells[column.name]
            if column.name not in programs or cell.trouble:
                continue
            if column.kind == "valgrind" and turn >= self.options.valgrind_repeat:
                continue
            arguments = workload.arguments(self.part(column))
            if column.kind == "valgrind" and tuple(arguments) not in outputs:
                sample = self.runner.run([programs[column.name], *arguments])
                outputs[tuple(arguments)] = sample.output
                cells["part"].add(sample, None)
            argv, env = self.tools.command(column, [programs[column.name], *arguments])
            sample = self.runner.run(argv, env)
            cell.add(sample, outputs.setdefault(tuple(arguments), sample.output))

    def count_races(self, workload, cells, programs):
        """Distinct races in one more run, which is not timed; these programs have none."""
        for column in self.columns:
            if column.kind not in ("tsan", "snag", "valgrind") or not cells[column.name].samples:
                continue
            arguments = workload.arguments(self.part(column) * 4)
            sample = self.observe(column, [programs[column.name], *arguments])
            cells[column.name].races = races.distinct(column, sample, self.report)

    def observe(self, column, argv, cwd=None):
        if os.path.exists(self.report):
            os.unlink(self.report)
        argv, env = self.tools.command(column, argv, self.report)
        return self.runner.run(argv, env, cwd)

    # --- racy programs ---------------------------------------------------------------------------

    def racy(self, source):
        """Column name -> (pairs found, of how many, other pairs reported)."""
        wanted = races.expected(source)
        row = {"wanted": len(wanted)}
        for column in self.columns:
            if column.kind not in ("tsan", "snag", "valgrind"):
                continue
            try:
                program = self.tools.program(source, column, RACY_FLAGS)
            except BuildError as error:
                log("%s, %s: %s" % (source, column.name, error))
                continue
            found = set()
            for _ in range(self.options.racy_runs):
                found |= races.distinct(column, self.observe(column, [program]), self.report)
            others = races.false_alarms(found, wanted)
            row[column.name] = (races.hits(found, wanted), len(others))
            for race in sorted(others):
                log("%s, %s: reports %s, which is not in the list" % (os.path.basename(source), column.name, race))
        return row


# --- parts ---------------------------------------------------------------------------------------


class Part:
    """What a part gives: blocks of (title, table, lines), numbers, and perhaps a chart."""

    def __init__(self, title, heads, blocks, raw, chart=None):
        self.title, self.heads, self.blocks, self.raw, self.chart = title, heads, blocks, raw, chart


def timed(bench, title, results, verdict_of, chart):
    heads = ["Median of %d interleaved runs." % bench.options.repeat]
    blocks = tables.cost_blocks(results, bench)
    if bench.options.races:
        blocks += tables.found_blocks(results, bench.columns, verdict_of)
    return Part(title, heads, blocks, tables.raw(results), (chart, tables.draw(bench, results)))


def workloads_part(bench):
    results = {}
    for workload in [w for w in find_workloads() if bench.wanted(w.name)]:
        log("workload %s" % workload.name)
        results[workload.name] = bench.workload(workload)
    return timed(bench, "Race detectors: workloads", results, tables.of_workload, "race-bench.svg")


def real_part(bench):
    results = {}
    for program in real.programs(bench):
        log("program %s" % program.name)
        results[program.name] = program.measure()
    verdicts = races.Verdicts(os.path.join(HERE, "real-verdicts.txt"))
    return timed(bench, "Race detectors: real programs", results, verdicts.of, "race-real.svg")


def racy_part(bench):
    racy = {}
    for source in sorted(glob.glob(HERE + "/racy/*.c")):
        name = os.path.splitext(os.path.basename(source))[0]
        if bench.wanted(name):
            log("racy %s" % name)
            racy[name] = bench.racy(source)
    heads = ["What was found in any of %d runs." % bench.options.racy_runs]
    return Part("Race detectors: races found in racy programs", heads,
                [("Pairs found", tables.racy_table(racy, bench.columns), [])], racy)


def tests_part(bench):
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    times = bench.options.racy_runs
    results = pairs.compare(os.path.dirname(bench.tools.snag), compilers, bench.wanted, times, log)
    return Part("Race detectors: the programs of tests/race", [], pairs.render(results, times), pairs.raw(results))


PARTS = {"workloads": workloads_part, "real": real_part, "racy": racy_part, "tests": tests_part}


def save(bench, name, part, heads):
    with open(os.path.join(bench.options.build, "race-%s.json" % name), "w", encoding="utf-8") as file:
        json.dump(part.raw, file, indent=1)
    if not bench.options.write:
        return
    text = "## %s\n\n`bench/race/run --parts %s`. " % (part.title, name) + tables.as_markdown(heads, part.blocks)
    if part.chart:
        text += "\n\n![Time of each tool as a ratio to plain](%s)" % part.chart[0]
        with open(os.path.join(ROOT, "doc", part.chart[0]), "w", encoding="utf-8") as file:
            file.write(part.chart[1])
    report.write_section("bench/race " + name, text)


def parse(argv):
    parser = argparse.ArgumentParser(prog="bench/race/run", description="Race detectors: cost and races found.")
    parser.add_argument("--quick", action="store_true", help="a quarter of the work, one run; workloads and racy only")
    parser.add_argument("--repeat", type=int, help="timed runs of each tool (default 5; 1 with --quick)")
    parser.add_argument("--valgrind-repeat", type=int, default=1, help="timed runs of Helgrind and DRD (default 1)")
    parser.add_argument("--racy-runs", type=int, help="runs of each racy program (default 3; 1 with --quick)")
    parser.add_argument("--only", type=lambda s: s.split(","), help="programs, as shell patterns: hash,*lock*")
    parser.add_argument("--tools", type=lambda s: s.split(","), help="OBJECTS/RUNTIME or RUNTIME: gcc/*,snag,floor")
    parser.add_argument("--clangs", type=lambda s: [int(n) for n in s.split(",")], help="versions: 14,19")
    parser.add_argument("--parts", type=lambda s: s.split(","), help="of %s (default all)" % ",".join(PARTS))
    parser.add_argument("--no-races", dest="races", action="store_false", help="do not count races in the programs")
    parser.add_argument("--limit", type=int, default=300, help="seconds that one run may take (default 300)")
    parser.add_argument("--snag", default=os.environ.get("SNAG", os.path.join(ROOT, "build", "snag")))
    parser.add_argument("--build", type=os.path.abspath, default=os.path.join(ROOT, "build", "bench"), help="folder for what is built")
    parser.add_argument("--write", action="store_true", default=None, help="write doc/ although not all was run")
    parser.add_argument("--no-write", dest="write", action="store_false", help="leave doc/ alone")
    options = parser.parse_args(argv)
    options.repeat = options.repeat or (1 if options.quick else 5)
    options.racy_runs = options.racy_runs or (1 if options.quick else 3)
    if options.write is None:  # a piece of a table would replace the whole
        options.write = not (options.quick or options.only or options.tools)
    if options.parts is None:
        options.parts = ["workloads", "racy"] if options.quick else list(PARTS)
    for part in options.parts:
        if part not in PARTS:
            parser.error("no part '%s'; there are %s" % (part, ", ".join(PARTS)))
    return options


def main(argv):
    bench = Bench(parse(argv))
    for what, why in bench.tools.skipped:
        log("skipped: %s (%s)" % (what, why))
    for name in bench.options.parts:
        start = time.monotonic()
        part = PARTS[name](bench)
        took = time.monotonic() - start
        log("%s took %.0f s" % (name, took))
        heads = tables.notes(bench) + part.heads + ["Took %.0f s." % took]
        print(tables.as_text([part.title, ""] + heads, part.blocks) + "\n", flush=True)
        save(bench, name, part, heads)


if __name__ == "__main__":
    main(sys.argv[1:])
