#!/usr/bin/env python3
"""TREE loses no candidate: the hybrid detector tells the same ones with --filter none, span and tree,
and of the programs of bench/race/racy every pair that their heads name.

Runs every program of tests/race and of bench/race/racy with each filter and compares the sets of pairs
of source lines. The programs run in an order of their own (invisible.h), so the answer is a fact; those
that leave something to chance are run a few times and the sets of all runs are compared.

usage: filters.py BUILD [PART OF A NAME…]
"""
import concurrent.futures
import glob
import importlib.machinery
import importlib.util
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FILTERS = ("none", "span", "tree")
# gcc makes machine code of some memset calls that no instrumentation sees
RACY_FLAGS = ["-O1", "-g", "-pthread", "-D_GNU_SOURCE", "-fno-builtin-memset"]
TRIES = 4
BY_CHANCE = ("scale/", "tbb/")  # who steals which task decides what meets
# a finding is a pair of lines, and here chance decides which of their accesses make it
IN_LOCKSTEP = ("memory/first_touch_together.c",)


def load_runner():
    loader = importlib.machinery.SourceFileLoader("tests_run", os.path.join(ROOT, "tests", "run"))
    spec = importlib.util.spec_from_loader("tests_run", loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


run = load_runner()


class Racy:
    """A program of bench/race/racy: no expectations, so only what building needs."""

    def __init__(self, path):
        self.path, self.name, self.cxx = path, "racy/" + os.path.basename(path), False
        self.values = {}
        text = open(path, encoding="utf-8").read()
        marks = {m: n for n, line in enumerate(text.splitlines(), 1)
                 for m in re.findall(r"/\* \[(\w+)\] \*/", line)}
        named = re.search(r"^ \* pairs: (.*)$", text, re.M).group(1).split()
        self.lines = {tuple(sorted(marks[m] for m in pair.split("-"))) for pair in named}

    def get(self, key, default=""):
        del key
        return default

    def wants(self, compiler):
        del compiler
        return True


def build(tool, program, work):
    if not isinstance(program, Racy):
        return run.build(tool, program, work, fixed=False)
    env, exe = run.clean_env(), os.path.join(work, "racy")
    run.compile_one(tool, program, env, RACY_FLAGS, exe)
    return exe


def pairs(tool, program, exe, work, option):
    """The candidates of one run, as pairs of (file, line, op), and what was lost."""
    program.values["OPTIONS"] = ["--detector", "hybrid", "--filter", option, "--no-lock-order"]
    program.get = lambda key, default="": (
        " ".join(program.values[key]) if key in program.values else default)
    _, _, _, findings, _ = tool.run(program, exe, work)
    found = set()
    for f in findings:
        if f.kind == "data-race":
            sites = [(str(s["stack"][0][1]), s["stack"][0][2],
                      "" if program.name in IN_LOCKSTEP else s["op"]) for s in f.sites if s["stack"]]
            found.add(tuple(sorted(sites)))
    return found


def unknown(program, found):
    """The pairs of lines that the program's head names and nobody found."""
    return getattr(program, "lines", set()) - {tuple(sorted(s[1] for s in pair)) for pair in found}


def compare(tool, program):
    """What differs between the filters, after as many runs as it takes, at most TRIES."""
    work = tempfile.mkdtemp(prefix="snag-filters-")
    try:
        exe = build(tool, program, work)
        seen = {option: set() for option in FILTERS}
        for _ in range(TRIES):
            for option in FILTERS:
                seen[option] |= pairs(tool, program, exe, work, option)
            alike = len({frozenset(s) for s in seen.values()}) == 1
            if alike and not unknown(program, seen["none"]):
                return len(seen["none"]), []
        everything = set.union(*seen.values())
        problems = [f"--filter {o} lacks {sorted(everything - seen[o])}"
                    for o in FILTERS if everything - seen[o]]
        if unknown(program, everything):
            problems.append(f"nobody finds lines {sorted(unknown(program, everything))}")
        return len(everything), problems
    finally:
        shutil.rmtree(work, ignore_errors=True)


def attempt(tool, program):
    try:
        return compare(tool, program)
    except run.Problem as p:
        return 0, [str(p)]


def main():
    build_dir, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tool = run.Snag(build_dir, "gcc" if shutil.which("gcc") else "clang")
    programs = [run.Program(p) for p in run.discover([])]
    programs += [Racy(p) for p in sorted(glob.glob(os.path.join(ROOT, "bench/race/racy/*.c")))]
    programs = [p for p in programs
                if p.wants(tool.compiler) and not p.name.startswith(BY_CHANCE)
                and (not wanted or any(w in p.name for w in wanted))]
    failed = total = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for program, (n, problems) in zip(programs, pool.map(lambda p: attempt(tool, p), programs)):
            total += n
            failed += bool(problems)
            for p in problems:
                print(f"FAIL {program.name}: {p}", flush=True)
    print(f"{total} candidates with every filter, {failed} programs differ")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
