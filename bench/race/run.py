#!/usr/bin/env python3
"""bench/race: what a race detector costs and what it finds.

Three parts: the workloads of this folder and real programs (time and peak memory against plain and
against the floor), and the racy programs (distinct races found). Every tool runs the same object files
where that is possible. Runs are interleaved, tool after tool, and medians are taken, so that a slow
minute of the machine hits all alike.
"""

import argparse
import fnmatch
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "harness"))
sys.path.insert(0, HERE)

import chart  # noqa: E402
import races  # noqa: E402
import real  # noqa: E402
import report  # noqa: E402
from measure import Cell, Runner, geometric_mean  # noqa: E402
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


# --- results -------------------------------------------------------------------------------------


def plain_of(cells, column):
    return cells.get("part" if column.kind == "valgrind" else column.objects + "/plain")


def entry(cells, column, what):
    cell = cells.get(column.name)
    if cell is None:
        return "–"
    if cell.trouble:
        return cell.trouble
    return report.number(cell.ratio(plain_of(cells, column), what))


def ratios(results, column, what, base):
    out = []
    for cells in results.values():
        if column.name in cells and not (base == "floor" and column.kind == "valgrind"):
            against = plain_of(cells, column) if base == "plain" else cells.get(column.objects + "/" + base)
            out.append(cells[column.name].ratio(against, what))
    return out


def ratio_table(results, columns, what, objects):
    """Rows: programs; the plain time or memory itself, then the ratio of each tool on these objects."""
    shown = [c for c in columns if c.kind != "plain" and c.objects == objects]
    shown = [c for c in shown if any(c.name in cells for cells in results.values())]
    unit, scale = ("plain, s", 1) if what == "seconds" else ("plain, MiB", 1 / 1024)
    head = [objects + " objects", unit] + [c.runtime for c in shown]
    rows = []
    for name, cells in results.items():
        plain = getattr(cells[objects + "/plain"], what)
        rows.append([name, report.number(plain and plain * scale, 3)] + [entry(cells, c, what) for c in shown])
    for title, base in (("geometric mean", "plain"), ("… to the floor", "floor")):
        means = [geometric_mean(ratios(results, c, what, base)) for c in shown]
        rows.append([title, ""] + [report.number(mean) for mean in means])
    return head, rows


def found_table(results, columns):
    """Races reported in the timed programs."""
    shown = [c for c in columns if c.kind in ("tsan", "snag", "valgrind")]
    head = ["program"] + [c.name for c in shown]
    rows = []
    for name, cells in results.items():
        found = [cells[c.name].races if c.name in cells else None for c in shown]
        if any(found):
            rows.append([name] + ["–" if races_of is None else str(len(races_of)) for races_of in found])
    return head, rows


def examined_table(results):
    """Each race that any tool reported in a real program, with what was found when it was looked at."""
    verdicts = races.Verdicts(os.path.join(HERE, "real-verdicts.txt"))
    groups = {}
    for name, cells in results.items():
        for column, cell in cells.items():
            for race in cell.races or ():
                what, verdict = verdicts.of(name.split()[0], race) or (" – ".join(race), "not examined")
                pairs, tools = groups.setdefault((name, what, verdict), (set(), set()))
                pairs.add(race)
                tools.add(column)
    rows = []
    for (name, what, verdict), (pairs, tools) in sorted(groups.items()):
        rows.append([name, what, str(len(pairs)), ", ".join(sorted(tools)), verdict])
    return ["program", "raced on", "pairs", "reported by", "verdict"], rows


def racy_table(racy, columns):
    shown = [c for c in columns if c.kind in ("tsan", "snag", "valgrind")]
    head = ["program", "pairs"] + [c.name for c in shown]
    rows, totals, others = [], [0] * len(shown), [0] * len(shown)
    for name, row in racy.items():
        line = [name, str(row["wanted"])]
        for index, column in enumerate(shown):
            hits, other = row.get(column.name, (None, 0))
            line.append("–" if hits is None else str(hits))
            totals[index] += hits or 0
            others[index] += other
        rows.append(line)
    rows.append(["all", str(sum(row["wanted"] for row in racy.values()))] + [str(t) for t in totals])
    rows.append(["not in the list", ""] + [str(o) for o in others])
    return head, rows


def snag_against(results, columns, what):
    """Lines that say how snag stands to each ThreadSanitizer on the same object files."""
    lines = []
    for snag in [c for c in columns if c.kind == "snag"]:
        peers = [c for c in columns if c.kind == "tsan" and c.objects == snag.objects]
        worst = {}
        for peer in peers:
            each = {n: cells[snag.name].ratio(cells.get(peer.name), what) for n, cells in results.items() if snag.name in cells}
            each = {name: ratio for name, ratio in each.items() if ratio}
            if each:
                lines.append("%s / %s: geometric mean %.2f" % (snag.name, peer.name, geometric_mean(each.values())))
            for name, ratio in each.items():
                worst[name] = max(worst.get(name, 0), ratio)
        over = ["%s %.2f" % (name, ratio) for name, ratio in sorted(worst.items(), key=lambda i: -i[1]) if ratio > 1]
        if worst:
            lines.append("%s above the better ThreadSanitizer: %s" % (snag.name, ", ".join(over) or "nowhere"))
    return lines


def notes(bench):
    out = ["%s; %s. Median of %d interleaved runs." % (report.today(), report.machine(), bench.options.repeat)]
    out.append("Tools: " + "; ".join(bench.tools.versions()) + ".")
    out += ["Skipped: %s (%s)." % pair for pair in bench.tools.skipped]
    return out


def render(bench, results, racy):
    """The same content as text and as Markdown."""
    blocks = []
    if results:
        for what, title in (("seconds", "Time, as a ratio to plain"), ("peak_kib", "Peak memory, as a ratio to plain")):
            for objects in bench.tools.compilers:
                lines = snag_against(results, [c for c in bench.columns if c.objects == objects], what)
                table = ratio_table(results, bench.columns, what, objects)
                if len(table[0]) > 2:
                    blocks.append((title, table, lines))
                    title = ""
        head, rows = found_table(results, bench.columns)
        if rows:
            blocks.append(("Distinct races reported in the programs above", (head, rows), []))
            blocks.append(("These races, examined", examined_table(results), []))
        elif bench.options.races:
            blocks.append(("Distinct races reported in the programs above", None, ["None, by any tool."]))
    if racy:
        blocks.append(("Racy programs: pairs found", racy_table(racy, bench.columns), []))
    text, markdown = notes(bench), ["## Race detectors (`bench/race`)", ""] + notes(bench)
    for title, table, lines in blocks:
        text += ["", title, ""] if title else [""]
        markdown += ["", "### " + title, ""] if title else [""]
        if table:
            text.append(report.text_table(*table))
            markdown.append(report.markdown_table(*table))
        text += lines
        markdown += [""] + ["- " + line for line in lines]
    if results:
        markdown += ["", "![Time of each tool as a ratio to plain](race-bench.svg)"]
    return "\n".join(text), "\n".join(markdown)


def colours(columns):
    """One hue for each kind of tool, darker from column to column."""
    shades = {
        "floor": ["#c4c4c4"],
        "tsan": ["#eeb37d", "#dd8a4c", "#c0612f", "#8f4220"],
        "snag": ["#8fd0b5", "#4fac8b", "#2a8268", "#175c49"],
        "valgrind": ["#9aa8d6", "#5f73b3"],
    }
    used = dict.fromkeys(shades, 0)
    for column in columns:
        row = shades[column.kind]
        yield column.name, row[used[column.kind] % len(row)]
        used[column.kind] += 1


def draw(bench, results):
    shown = [c for c in bench.columns if c.kind != "plain" and ":" not in c.runtime]
    shown = [c for c in shown if c.kind != "floor" or c.objects == "gcc"]
    groups = []
    for name, cells in results.items():
        row = [cells[c.name].ratio(plain_of(cells, c)) if c.name in cells else None for c in shown]
        groups.append((name, row))
    note = "%s. %s. Shorter is better; logarithmic." % (report.today(), report.machine())
    return chart.bars("Time as a ratio to the plain program", note, groups, list(colours(shown)))


def raw(results, racy):
    out = {"programs": {}, "racy": racy}
    for name, cells in results.items():
        out["programs"][name] = {
            column: {
                "seconds": [round(s.seconds, 6) for s in cell.samples],
                "peak_kib": [s.peak_kib for s in cell.samples],
                "races": None if cell.races is None else sorted(cell.races),
                "trouble": cell.trouble,
            }
            for column, cell in cells.items()
        }
    return out


def save(bench, results, racy, markdown):
    with open(os.path.join(bench.options.build, "race.json"), "w", encoding="utf-8") as file:
        json.dump(raw(results, racy), file, indent=1)
    if not bench.options.write:
        return
    report.write_section("bench/race", markdown)
    if results:
        with open(os.path.join(ROOT, "doc", "race-bench.svg"), "w", encoding="utf-8") as file:
            file.write(draw(bench, results))


def parse(argv):
    parser = argparse.ArgumentParser(prog="bench/run.sh", description="Race detectors: cost and races found.")
    parser.add_argument("--quick", action="store_true", help="a quarter of the work, three runs, no real programs")
    parser.add_argument("--repeat", type=int, help="timed runs of each tool (default 5; 3 with --quick)")
    parser.add_argument("--valgrind-repeat", type=int, default=1, help="timed runs of Helgrind and DRD (default 1)")
    parser.add_argument("--racy-runs", type=int, default=3, help="runs of each racy program (default 3)")
    parser.add_argument("--only", type=lambda s: s.split(","), help="programs, as shell patterns: hash,*lock*")
    parser.add_argument("--tools", type=lambda s: s.split(","), help="OBJECTS/RUNTIME or RUNTIME: gcc/*,snag,floor")
    parser.add_argument("--clangs", type=lambda s: [int(n) for n in s.split(",")], help="versions: 14,19")
    parser.add_argument("--parts", type=lambda s: s.split(","), help="of workloads,real,racy (default all)")
    parser.add_argument("--no-races", dest="races", action="store_false", help="do not count races in the programs")
    parser.add_argument("--limit", type=int, default=300, help="seconds that one run may take (default 300)")
    parser.add_argument("--snag", default=os.environ.get("SNAG", os.path.join(ROOT, "build", "snag")))
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "bench"), help="folder for what is built")
    parser.add_argument("--write", action="store_true", default=None, help="write doc/ although not all was run")
    parser.add_argument("--no-write", dest="write", action="store_false", help="leave doc/ alone")
    options = parser.parse_args(argv)
    options.repeat = options.repeat or (3 if options.quick else 5)
    if options.write is None:  # a part of the table would replace the whole
        options.write = not (options.quick or options.only or options.tools or options.parts)
    if options.parts is None:
        options.parts = ["workloads", "racy"] if options.quick else ["workloads", "real", "racy"]
    return options


def main(argv):
    bench = Bench(parse(argv))
    results, racy = {}, {}
    for what, why in bench.tools.skipped:
        log("skipped: %s (%s)" % (what, why))
    if "workloads" in bench.options.parts:
        for workload in filter(lambda w: bench.wanted(w.name), find_workloads()):
            log("workload %s" % workload.name)
            results[workload.name] = bench.workload(workload)
    if "real" in bench.options.parts:
        for program in filter(lambda p: bench.wanted(p.name), real.programs(bench)):
            log("program %s" % program.name)
            results[program.name] = program.measure()
    if "racy" in bench.options.parts:
        for source in sorted(glob.glob(HERE + "/racy/*.c")):
            name = os.path.splitext(os.path.basename(source))[0]
            if bench.wanted(name):
                log("racy %s" % name)
                racy[name] = bench.racy(source)
    text, markdown = render(bench, results, racy)
    print(text)
    save(bench, results, racy, markdown)
    wrong = [n for n, cells in results.items() for c in cells.values() if c.trouble in ("wrong output", "no build")]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
