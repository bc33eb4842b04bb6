#!/usr/bin/env python3
"""mutate.py SNAG [COUNT [SEED]]: LLVM IR that no compiler made. Programs of tests/check are compiled to text,
changed at random, and checked: whatever comes, snag gives an answer, in time, and its checker does not crash.
What LLVM's own reader refuses, or gives up on, is an answer, too."""
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys

SNAG = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 60
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = ["language/integers.c", "language/wide_integers.c", "language/vectors.c", "language/varargs.c",
         "language/floats.c", "language/structs.c", "language/control.c", "atomic/cas_lock.c", "memory/heap.c",
         "memory/thread_local.c", "wait/cond_queue.c", "thread/specific_destructor.c", "glib/main_loop.c",
         "openmp/tasks.c"]
NUMBERS = ["0", "1", "-1", "7", "64", "255", "4096", "-2147483648", "4294967295", "9223372036854775807",
           "100000000000", "1000000"]
TYPES = ["i1", "i8", "i16", "i32", "i64", "i128", "i17", "ptr", "float", "double", "x86_fp80", "<4 x i32>",
         "[3 x i8]", "{ i32, ptr }", "half"]
WORDS = ["add", "sub", "mul", "sdiv", "udiv", "srem", "shl", "lshr", "ashr", "and", "or", "xor"]


def compile_seed(name, out):
    flags = ["-fopenmp"] if name.startswith("openmp") else []
    command = [SNAG, "check", "--no-store", "--quiet", "--steps", "1", "--emit-ir", out,
               os.path.join(HERE, name), "--", "-std=gnu17", "-D_GNU_SOURCE", *flags]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if not os.path.exists(out):
        return None
    with open(out, encoding="utf-8", errors="replace") as f:
        return f.read().split("\n")


def body_lines(lines):
    return [k for k, line in enumerate(lines) if line.startswith(("  ", "@"))]


def one_change(rng, lines):
    k = rng.choice(body_lines(lines))
    line = lines[k]
    kind = rng.randrange(8)
    if kind == 0:
        lines[k] = re.sub(r"(?<=[ ,])-?\d+(?=[,\])]|$)", lambda m: rng.choice(NUMBERS) if rng.random() < 0.5 else m[0],
                          line)
    elif kind == 1:
        lines[k] = re.sub(r"\bi\d+\b|\bptr\b|\bdouble\b|\bfloat\b",
                          lambda m: rng.choice(TYPES) if rng.random() < 0.4 else m[0], line)
    elif kind == 2:
        lines[k] = re.sub(r"\b(add|sub|mul|sdiv|udiv|srem|shl|lshr|ashr|and|or|xor)\b", rng.choice(WORDS), line)
    elif kind == 3:
        names = re.findall(r"%[\w.]+", line)
        pool = [n for other in lines[max(0, k - 20):k] for n in re.findall(r"%[\w.]+", other)]
        if names and pool:
            lines[k] = line.replace(rng.choice(names), rng.choice(pool), 1)
    elif kind == 4:
        lines[k] = re.sub(r"\balign \d+", lambda m: "align " + rng.choice(["1", "2", "4096", "1073741824"]), line)
    elif kind == 5:
        names = re.findall(r"@[\w.]+", line)
        pool = re.findall(r"@[\w.]+", "\n".join(lines))
        if names and pool:
            lines[k] = line.replace(rng.choice(names), rng.choice(pool), 1)
    elif kind == 6:
        lines[k] = re.sub(r"\[(\d+) x", lambda m: "[" + rng.choice(NUMBERS[:5] + NUMBERS[8:]) + " x", line)
    else:
        lines[k] = re.sub(r"\b(seq_cst|monotonic|acquire|release|acq_rel|nuw|nsw|inbounds|volatile)\b",
                          lambda m: rng.choice(["seq_cst", "monotonic", "acquire", "volatile", ""]), line)


def mutant(number, seeds):
    rng = random.Random(SEED * 1000003 + number)
    lines = list(rng.choice(seeds))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        one_change(rng, lines)
    return "\n".join(lines)


def check(number, seeds):
    """(was it taken, what is wrong)"""
    path = f"mutant-{number}.ll"
    with open(path, "w", encoding="utf-8") as f:
        f.write(mutant(number, seeds))
    command = [SNAG, "check", "--no-store", "--quiet", "--steps", "200000", "--steps-per-run", "50000", "--json",
               path + ".json", path]
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=240, check=False)
    except subprocess.TimeoutExpired:
        return True, f"{path}: no end"
    said = ""
    if os.path.exists(path + ".json"):
        with open(path + ".json", encoding="utf-8") as f:
            said = f.read()
    if done.returncode not in (0, 66, 125):
        return True, f"{path}: status {done.returncode}"
    if "ended by signal" in said or b"ended by signal" in done.stderr:
        return True, f"{path}: the checker crashed"
    os.unlink(path)
    return done.returncode != 125, None


def main():
    seeds = [s for s in (compile_seed(n, f"seed-{k}.ll") for k, n in enumerate(SEEDS)) if s]
    assert len(seeds) > len(SEEDS) // 2, "the seeds could not be compiled"
    taken, wrong = 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for was_taken, problem in pool.map(lambda n: check(n, seeds), range(COUNT)):
            taken += was_taken
            if problem:
                wrong.append(problem)
                print(problem, flush=True)
    print(f"{COUNT} mutants, {taken} taken by LLVM, {len(wrong)} wrong")
    for leftover in glob.glob("seed-*.ll"):
        os.unlink(leftover)
    return 1 if wrong or taken == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
