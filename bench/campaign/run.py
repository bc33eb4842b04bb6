"""Campaigns: how the time falls with workers, and how a merge grows with its rows.

scaling  a fuzz campaign on examples/bank.c with one worker and with two, in turn; medians of wall time,
         processor time of all units, and of the command itself (which is what does not spread).
merge    synthetic stores: UNITS stores of RUNS runs with FINDINGS findings each, out of a fixed number of
         different ones; `snag merge` of them all, once more (nothing changes), and `snag list`.
"""
import argparse
import os
import random
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SNAG = os.environ["SNAG"]
ROOT = Path(__file__).resolve().parents[2]


def measured(argv, **options):
    """Wall seconds, processor seconds of the command and all it waited for, exit status."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall, used, done.returncode


# ---- scaling ----


def campaign(folder, jobs, units, schedules):
    argv = [SNAG, "campaign", "run", "--quiet", "--fresh", "--no-merge", "--jobs", str(jobs), "--units",
            str(units), "--dir", "c", "--", "fuzz", "--schedules", str(schedules), "./bank"]
    wall, used, status = measured(argv, cwd=folder)
    if status != 0:
        sys.exit(f"bench/campaign: the campaign ended with {status}")
    wall_merge, used_merge, _ = measured([SNAG, "campaign", "merge", "--quiet", "--store", "s", "c"], cwd=folder)
    return wall, used, wall_merge, used_merge


def stolen():
    """Seconds of processor time that all others used or the machine was not given, so far."""
    fields = [int(f) for f in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    busy = sum(fields[:3]) + sum(fields[5:8])
    return busy / os.sysconf("SC_CLK_TCK")


def scaling(options):
    rows = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SNAG, "cc", "-g", "-O1", "-pthread", "-o", "bank", ROOT / "examples/bank.c"],
                       cwd=folder, check=True)
        for _ in range(options.repeat):
            for jobs in rows:
                begin = stolen()
                wall, used, wall_merge, used_merge = campaign(folder, jobs, options.units, options.schedules)
                others = stolen() - begin - used - used_merge
                rows[jobs].append((wall, used, wall_merge, used_merge, others))
    print("| workers | wall s | processor s of the units | wall s of the merge | processor s of others |")
    print("| --- | --- | --- | --- | --- |")
    medians = {}
    for jobs, all_runs in rows.items():
        m = [statistics.median(column) for column in zip(*all_runs)]
        medians[jobs] = m
        print(f"| {jobs} | {m[0]:.1f} | {m[1]:.1f} | {m[2]:.2f} | {m[4]:.1f} |")
    with_merge = {j: m[0] + m[2] for j, m in medians.items()}
    print(f"\ntwo workers take {100 * with_merge[2] / with_merge[1]:.0f} % of the time of one "
          f"(processor time: {100 * medians[2][1] / medians[1][1]:.0f} %)")


# ---- merge ----


def empty_store(folder):
    """A store as this snag makes it, without rows."""
    subprocess.run([SNAG, "cc", "-g", "-O1", "-pthread", "-o", "fixed", ROOT / "examples/bank_fixed.c"],
                   cwd=folder, check=True)
    subprocess.run([SNAG, "race", "--quiet", "--store", "first", "./fixed"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = Path(folder) / "first/snag.db"
    db = sqlite3.connect(path)
    for table in ("hit", "finding", "run", "blob"):
        db.execute(f"DELETE FROM {table}")
    db.commit()
    db.execute("VACUUM")
    db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    return path


def body(number, bytes_wanted):
    stack = '{"column":3,"file":"/src/file%d.c","function":"function_%d","inlined":false,"line":%d,"module":"prog","offset":%d}'
    frames = []
    while len(frames) < 2 or sum(map(len, frames)) < bytes_wanted / 2:
        n = number * 16 + len(frames)
        frames.append(stack % (n % 97, n, n % 5000, n))
    site = '{"op":"write","size":4,"stack":[%s],"thread":%d}'
    half = ",".join(frames)
    return ('{"kind":"data-race","object":{"kind":"global","name":"cell%d","size":4},"sites":[%s,%s],'
            '"title":"data race on `cell%d`"}' % (number, site % (half, 1), site % (half, 2), number))


def make_store(template, path, unit, shape, rng):
    path.mkdir()
    shutil.copy(template, path / "snag.db")
    db = sqlite3.connect(path / "snag.db")
    db.execute("PRAGMA synchronous = OFF")
    db.executemany("INSERT INTO run(num, uid, n, command, engine, started_ns, ended, status, seconds)"
                   " VALUES(?, ?, ?, '[\"snag\",\"fuzz\"]', 'fuzz', ?, 1, 66, 1.5)",
                   ((r + 1, b"campaign" + unit.to_bytes(4, "big") + (r + 1).to_bytes(4, "big"), r + 1,
                     1700000000000000000 + unit * 1000000 + r) for r in range(shape.runs)))
    chosen = rng.sample(range(shape.universe), shape.findings)
    db.executemany("INSERT INTO finding(num, key, id, status, engine, harmful, effect, schedule, weight, body)"
                   " VALUES(?, ?, ?, 3, 'fuzz', 1, 'exit status 1 instead of 0', 0, ?, ?)",
                   ((i + 1, "data-race|function_%d@file.c:%d:3#0" % (f, f), i + 1, 1000 + f % 7,
                     body(f, shape.body)) for i, f in enumerate(chosen)))
    db.executemany("INSERT INTO hit(finding, run, n) VALUES(?, ?, ?)",
                   ((i + 1, r + 1, 1 + (i + r) % 5) for i in range(shape.findings) for r in range(shape.runs)))
    db.commit()
    db.close()


class Shape:
    def __init__(self, stores, runs, findings, universe, body_bytes):
        self.stores, self.runs, self.findings = stores, runs, findings
        self.universe, self.body = universe, body_bytes

    def rows(self):
        return self.stores * (self.runs + self.findings + self.runs * self.findings)


SHAPES = [
    Shape(10, 10, 100, 1000, 2000),       # 10 thousand hits
    Shape(100, 10, 100, 1000, 2000),      # 100 thousand
    Shape(1000, 10, 100, 1000, 2000),     # a million, as 1,000 nodes would bring them
    Shape(1000, 100, 100, 1000, 2000),    # ten million
    Shape(100, 1, 10000, 1000000, 500),   # a million rows, nearly all different findings
]


def size_mb(path):
    return sum(f.stat().st_size for f in Path(path).rglob("*") if f.is_file()) / 1e6


def merge(options):
    print("| stores | runs | findings | hits | all stores MB | merge s (processor s) | again s (processor s) | united MB | list s (processor s) | peak MB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for shape in SHAPES:
        if not options.rows_from <= shape.rows() <= options.rows:
            continue
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            template = empty_store(folder)
            rng = random.Random(1)
            stores = []
            for unit in range(1, shape.stores + 1):
                stores.append(Path(folder) / f"u{unit}")
                make_store(template, stores[-1], unit, shape, rng)
            all_mb = sum(map(size_mb, stores))
            argv = [SNAG, "merge", "--store", "united", *map(str, stores)]
            wall, used, status = measured(argv, cwd=folder)
            if status != 0:
                sys.exit(f"bench/campaign: the merge ended with {status}")
            again, used_again, _ = measured(argv, cwd=folder)
            united = size_mb(Path(folder) / "united")
            listing, used_listing, _ = measured([SNAG, "list", "--store", "united"], cwd=folder)
            db = sqlite3.connect(Path(folder) / "united/snag.db")
            counts = [db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("run", "finding", "hit")]
            db.close()
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
            print(f"| {shape.stores} | {counts[0]} | {counts[1]} | {counts[2]} | {all_mb:.0f} | {wall:.1f} ({used:.1f}) |"
                  f" {again:.1f} ({used_again:.1f}) | {united:.0f} | {listing:.1f} ({used_listing:.1f}) | {peak:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="scaling,merge")
    parser.add_argument("--quick", action="store_true", help="some minutes: up to a million rows")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--units", type=int, default=20, help="of the fuzz campaign")
    parser.add_argument("--schedules", type=int, default=400, help="of the fuzz campaign, in all")
    parser.add_argument("--rows", type=float, default=2e7, help="leave out merges of more")
    parser.add_argument("--rows-from", type=float, default=0, help="leave out merges of fewer")
    parser.add_argument("--folder", help="where synthetic stores are made (a few gigabytes)")
    options, _ = parser.parse_known_args()
    if options.quick:
        options.repeat, options.rows = 1, min(options.rows, 2e6)
    parts = options.parts.split(",")
    if "scaling" in parts:
        scaling(options)
    if "merge" in parts:
        merge(options)


main()
