"""The tables and charts of bench/race, made of the cells that run.py has measured."""

import os

import chart
import races
import report
from measure import geometric_mean

HERE = os.path.dirname(os.path.abspath(__file__))
DETECTORS = ("tsan", "snag", "valgrind")


def plain_of(cells, column):
    return cells.get("part" if column.kind == "valgrind" else column.objects + "/plain")


def entry(cells, column, what):
    """The ratio to plain, and behind it the ratio to the floor where there is one."""
    cell = cells.get(column.name)
    if cell is None:
        return "–"
    if cell.trouble:
        return cell.trouble
    text = report.number(cell.ratio(plain_of(cells, column), what))
    floor = cells.get(column.objects + "/floor")
    if column.kind in ("tsan", "snag") and floor:
        text += " / " + report.number(cell.ratio(floor, what))
    return text


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
    shown = [c for c in columns if c.kind in DETECTORS]
    head = ["program"] + [c.name for c in shown]
    rows = []
    for name, cells in results.items():
        found = [cells[c.name].races if c.name in cells else None for c in shown]
        if any(found):
            rows.append([name] + ["–" if races_of is None else str(len(races_of)) for races_of in found])
    return head, rows


def examined_table(results, verdict_of):
    """Each race that any tool reported, with what was found when it was looked at."""
    groups = {}
    for name, cells in results.items():
        for column, cell in cells.items():
            for race in cell.races or ():
                what, verdict = verdict_of(name.split()[0], race) or (" – ".join(race), "not examined")
                pairs, tools = groups.setdefault((name, what, verdict), (set(), {}))
                pairs.add(race)
                tools[column] = tools.get(column, 0) + 1
    rows = []
    for (name, what, verdict), (pairs, tools) in sorted(groups.items()):
        by = ", ".join("%s %d" % pair for pair in sorted(tools.items()))
        rows.append([name, what, str(len(pairs)), by, verdict])
    return ["program", "raced on", "pairs", "reported by", "verdict"], rows


def of_workload(_program, _race):
    """The workloads have no races."""
    return "its own data", "false alarm: the program is written without races"


def found_blocks(results, columns, verdict_of):
    head, rows = found_table(results, columns)
    if not rows:
        return [("Distinct races reported in these programs", None, ["None, by any tool."])]
    blocks = [("Distinct races reported in these programs", (head, rows), [])]
    return blocks + [("These races, examined", examined_table(results, verdict_of), [])]


def racy_table(racy, columns):
    shown = [c for c in columns if c.kind in DETECTORS]
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


def cost_blocks(results, bench):
    """Time, then memory: a table for each kind of object files, and below it how snag stands."""
    blocks = []
    words = "as a ratio to plain / to the floor"
    for what, title in (("seconds", "Time, " + words), ("peak_kib", "Peak memory, " + words)):
        for objects in bench.tools.compilers:
            table = ratio_table(results, bench.columns, what, objects)
            if len(table[0]) > 2:
                lines = snag_against(results, [c for c in bench.columns if c.objects == objects], what)
                blocks.append((title, table, lines))
                title = ""
    return blocks


def notes(bench):
    out = ["%s; %s. Load before: %.1f." % (report.today(), report.machine(), bench.load)]
    out.append("Tools: " + "; ".join(bench.tools.versions()) + ".")
    out += ["Skipped: %s (%s)." % pair for pair in bench.tools.skipped]
    return out


def as_text(heads, blocks):
    lines = list(heads)
    for title, table, more in blocks:
        lines += ["", title, ""] if title else [""]
        lines += [report.text_table(*table)] if table else []
        lines += more
    return "\n".join(lines)


def as_markdown(heads, blocks):
    lines = []
    for head in heads:
        lines += [head, ""]
    for title, table, more in blocks:
        lines += ["", "### " + title, ""] if title else [""]
        lines += [report.markdown_table(*table), ""] if table else []
        lines += ["- " + line for line in more]
    return "\n".join(lines)


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


def raw(results):
    """The numbers of each program, for a file."""
    out = {}
    for name, cells in results.items():
        out[name] = {
            column: {
                "seconds": [round(s.seconds, 6) for s in cell.samples],
                "peak_kib": [s.peak_kib for s in cell.samples],
                "races": None if cell.races is None else sorted(cell.races),
                "trouble": cell.trouble,
            }
            for column, cell in cells.items()
        }
    return out
