#!/usr/bin/env python3
"""bench/tree: what the TREE filter saves the hybrid detector, and that it loses nothing.

Two parts. Table 5.1 of the thesis over the workloads of bench/race: share of accesses skipped, memory,
processor time, candidates, each with --filter none, span and tree. Then the micro-benchmarks of figures
5.1 (shared locks, the best case) and 5.3 (private locks, the worst) with threads, iterations and locks
varied. Runs are interleaved, filter after filter, and medians are taken. Times are processor seconds,
which a busy machine changes least.
"""
import argparse
import fnmatch
import glob
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(BENCH, "harness"))

import report  # noqa: E402
from measure import Runner, geometric_mean  # noqa: E402
from toolchain import ROOT, Toolchain  # noqa: E402

FILTERS = ("none", "span", "tree")
POWER = {"matrix": 3}  # work grows with this power of the scale
MICRO = {  # what is varied: the values, then the arguments (threads, iterations, locks)
    "threads": ((2, 4, 8, 16, 32), lambda v: (v, 500, 10)),
    "iterations": ((100, 1000, 10000), lambda v: (4, v, 10)),
    "locks": ((1, 10, 30, 100), lambda v: (4, 500, v)),
}


class Cell:
    """All runs of one program with one filter."""

    def __init__(self):
        self.cpu, self.peak_kib, self.skipped, self.events, self.candidates, self.lost = [], [], [], 0, set(), 0

    def add(self, sample, data):
        stats = data["stats"]
        self.cpu.append(sample.cpu)
        self.peak_kib.append(sample.peak_kib)
        self.events = stats["events"]
        self.skipped.append(stats.get("skipped_percent", 0))
        self.lost += stats["lost_cell"] + stats["lost_lock"] + stats["lost_context"]
        for f in data["findings"]:
            if f["kind"] == "data-race":
                self.candidates.add(tuple(sorted(
                    "%s:%s:%s" % (os.path.basename(s["stack"][0].get("file") or "?"),
                                  s["stack"][0].get("line", 0), s["op"]) for s in f["sites"] if s["stack"])))

    seconds = property(lambda self: statistics.median(self.cpu))
    memory_mb = property(lambda self: statistics.median(self.peak_kib) / 1024)
    percent = property(lambda self: statistics.median(self.skipped))


class Bench:
    def __init__(self, options):
        self.options = options
        os.makedirs(options.build, exist_ok=True)
        self.runner = Runner(Toolchain(options.snag, options.build, None), options.limit)
        self.report = os.path.join(options.build, "tree.%d.json" % os.getpid())

    def build(self, source):
        output = os.path.join(self.options.build, "tree-" + os.path.splitext(os.path.basename(source))[0])
        subprocess.run([self.options.snag, "cc", "-O2", "-g", "-pthread", "-o", output, source], check=True)
        return output

    def measure(self, exe, arguments):
        cells = {name: Cell() for name in FILTERS}
        for _ in range(self.options.repeat):
            for name in FILTERS:
                sample = self.runner.run([self.options.snag, "race", "--no-store", "--quiet", "--detector", "hybrid",
                                          "--filter", name, "--json", self.report, exe, *map(str, arguments)])
                if sample.exit != 0 or sample.timed_out:
                    print("%s, %s: exit %d %s" % (exe, name, sample.exit, sample.errors), file=sys.stderr)
                    return None
                with open(self.report, encoding="utf-8") as file:
                    cells[name].add(sample, json.load(file))
        return cells


PRINTED = []


def tell(text):
    PRINTED.append(text)
    print(text, flush=True)


HEADER = "%-22s %9s %6s %6s %8s %9s %8s %8s %8s %6s %6s" % (
    "program", "accesses", "span%", "tree%", "dMem MB", "speed-up%", "none s", "span s", "tree s", "cand.", "lost")


def line(name, cells):
    none, span, tree = (cells[f] for f in FILTERS)
    missing = (none.candidates | span.candidates) - tree.candidates
    tell("%-22s %9d %6.1f %6.1f %8.1f %9.1f %8.3f %8.3f %8.3f %6d %6d" % (
        name, none.events, span.percent, tree.percent, tree.memory_mb - none.memory_mb,
        100 * (1 - tree.seconds / none.seconds), none.seconds, span.seconds, tree.seconds,
        len(tree.candidates), len(missing)))
    return missing


def workloads(bench):
    tell("Table 5.1: the hybrid detector without and with TREE (dMem and speed-up: tree against none; lost:\n"
          "candidates that only the other filters found in these runs)\n" + HEADER)
    ratios, spans, lost = [], [], 0
    for source in sorted(glob.glob(os.path.join(BENCH, "race", "*.c"))):
        with open(source, encoding="utf-8") as file:
            match = re.search(r"work_parse\(argc, argv, (\d+), (\d+)\)", file.read())
        name = os.path.splitext(os.path.basename(source))[0]
        if not match or (bench.options.only and not any(fnmatch.fnmatch(name, p) for p in bench.options.only)):
            continue
        scale = max(1, round(int(match.group(2)) / bench.options.part ** (1 / POWER.get(name, 1))))
        cells = bench.measure(bench.build(source), [match.group(1), scale])
        if cells:
            lost += len(line(name, cells))
            ratios.append(cells["tree"].seconds / cells["none"].seconds)
            spans.append(cells["span"].seconds / cells["none"].seconds)
    if ratios:
        tell("geometric mean of time: tree %.2f, span %.2f of none; candidates lost: %d" % (
            geometric_mean(ratios), geometric_mean(spans), lost))
    return lost


def micro(bench):
    lost = 0
    for name, figure in (("shared", "5.1"), ("private", "5.3")):
        exe = bench.build(os.path.join(HERE, name + ".c"))
        tell("\nFigure %s: %s locks\n%s" % (figure, name, HEADER))
        for what, (values, arguments) in MICRO.items():
            for value in values:
                cells = bench.measure(exe, arguments(value))
                if cells:
                    lost += len(line("%s=%d" % (what, value), cells))
    return lost


def save(options):
    head = "## TREE (`bench/tree/run`)\n\n%s; %s. Load at the end: %.1f. A part of 1/%d of the work, processor seconds, median of %d runs."
    head %= (report.today(), report.machine(), os.getloadavg()[0], options.part, options.repeat)
    report.write_section("bench/tree", "%s\n\n```\n%s\n```" % (head, "\n".join(PRINTED)))


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="a sixteenth of the work")
    parser.add_argument("--part", type=int, help="this part of the workloads' work (default 4; 16 with --quick)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each filter (default 3)")
    parser.add_argument("--only", type=lambda s: s.split(","), help="workloads, as shell patterns; no micro-benchmarks")
    parser.add_argument("--write", action="store_true", help="write doc/results.md although --quick was said")
    parser.add_argument("--limit", type=int, default=300, help="seconds that one run may take (default 300)")
    parser.add_argument("--snag", default=os.environ.get("SNAG", os.path.join(ROOT, "build", "snag")))
    parser.add_argument("--build", type=os.path.abspath, default=os.path.join(ROOT, "build", "bench"), help="folder for what is built")
    options = parser.parse_args(argv)
    options.part = options.part or (16 if options.quick else 4)
    bench = Bench(options)
    lost = workloads(bench)
    if not options.only:
        lost += micro(bench)
        if options.write or not options.quick:
            save(options)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
