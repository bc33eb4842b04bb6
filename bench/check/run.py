#!/usr/bin/env python3
"""The static check measured: the ten cases of the paper's Table 3 against ThreadSanitizer and Helgrind, small
programs with a known answer, speed, and larger programs from Debian's source packages.

  bench/check/run [BUILD] [--parts table3,small,speed,real] [--quick] [--only WORDS] [--write]
"""
import argparse
import glob
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SNAG = os.environ.get("SNAG", os.path.join(ROOT, "build", "snag"))


def execute(argv, timeout, **more):
    """(status or None at timeout, output, wall seconds, processor seconds)"""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False,
                              errors="replace", **more)
        status, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired as e:
        out = e.stdout or b""
        status, text = None, out.decode(errors="replace") if isinstance(out, bytes) else out
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, text, time.monotonic() - start, \
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check(files, *options, flags=(), timeout=600):
    """(report, wall seconds, processor seconds)"""
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "report.json")
        _, text, wall, cpu = execute([SNAG, "check", "--no-store", "--quiet", "--json", out, *options, *files,
                                      *(["--", *flags] if flags else [])], timeout)
        if not os.path.exists(out):
            raise SystemExit(f"snag check failed on {files}: {text[-1000:]}")
        with open(out, encoding="utf-8") as f:
            return json.load(f), wall, cpu


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


# --- Table 3 ---

def peers():
    found = []
    for name, cc in (("gcc", "gcc"), ("clang", "clang-22"), ("clang", "clang-19"), ("clang", "clang")):
        if shutil.which(cc) and not any(n == name for n, _, _ in found):
            found.append((name, [cc, "-fsanitize=thread"], []))
    if shutil.which("valgrind"):
        found.append(("helgrind", ["gcc"], ["valgrind", "--tool=helgrind", "--error-exitcode=66"]))
    return found


def said_something(name, text):
    if name == "helgrind":
        return re.search(r"Possible data race|lock order .* violated|ERROR SUMMARY: [1-9]", text) is not None
    return "WARNING: ThreadSanitizer" in text


def verdict(broken, reported):
    return "accurate" if broken == reported else "false neg." if broken else "false pos."


def run_peer(peer, path, fixed, work, limit):
    name, compiler, runner = peer
    program = os.path.join(work, "program")
    flags = ["-DFIXED"] if fixed else []
    subprocess.run([*compiler, "-g", "-O1", "-w", "-pthread", *flags, path, "-o", program, "-lrt", "-lm"], check=True)
    env = dict(os.environ, TSAN_OPTIONS="halt_on_error=0 exitcode=66")
    status, text, wall, _ = execute([*runner, program], limit, env=env)
    result = verdict(not fixed, said_something(name, text))
    return f"{result}, {'no end' if status is None else f'{wall:.1f} s'}"


def table3(args):
    """Each case of the table: snag, and its peers on the same file."""
    rows = []
    names = {"dcl": "DCL", "quicksort": "Quicksort", "bank": "Bank", "buffer": "Buffer", "timer": "Timer",
             "finalizer": "Finalizer"}
    columns = peers()
    for stem, name in names.items():
        path = os.path.join(HERE, "table3", stem + ".c")
        for fixed in (False, True):
            report, wall, _ = check([path], flags=["-DFIXED"] if fixed else ())
            found = [f for f in report["findings"] if f["status"] != "candidate"]
            row = [f"{name} {'fixed' if fixed else 'broken'}", f"{verdict(not fixed, bool(found))}, {wall:.1f} s",
                   len(report["findings"])]
            with tempfile.TemporaryDirectory() as work:
                row += [run_peer(p, path, fixed, work, args.limit) for p in columns]
            rows.append(row)
            print(" | ".join(map(str, row)), flush=True)
    return "The ten cases of Table 3 (and the fixed twins of the last two)", \
        table(["case", "snag check", "findings"] + [n for n, _, _ in columns], rows)


# --- small programs ---

def programs():
    paths = glob.glob(os.path.join(ROOT, "tests", "check", "*", "*.c")) + \
        glob.glob(os.path.join(ROOT, "tests", "check", "*", "*.cc")) + \
        glob.glob(os.path.join(HERE, "table3", "*.c"))
    kept = []
    for p in sorted(paths):
        with open(p, encoding="utf-8") as f:
            if "EXPECT:" in f.read():
                kept.append(p)
    return kept


def small(args):
    """Racy programs and their correct twins; twice with one seed."""
    rows = {}
    paths = [p for p in programs() if args.only in p]
    for path in paths:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        words = re.findall(r"^// (\w+): (.*)$", text, re.M)
        folder = os.path.dirname(path)
        options = [os.path.join(folder, w) if w.endswith(".contract") else w
                   for k, v in words if k == "OPTIONS" for w in v.split()]
        files = [path] + [os.path.join(folder, w) for k, v in words if k == "MORE" for w in v.split()]
        flags = ["-std=c++17" if path.endswith(".cc") else "-std=gnu17", "-D_GNU_SOURCE"] + \
            [w for k, v in words if k == "FLAGS" for w in v.split()]
        first, wall, _ = check(files, *options, flags=flags)
        second, _, _ = check(files, *options, flags=flags) if not args.quick else (first, 0, 0)
        quiet, wall2, _ = check(files, *options, flags=[*flags, "-DFIXED"])
        group = os.path.basename(folder)
        row = rows.setdefault(group, [0, 0, 0, 0, 0.0])
        row[0] += 1
        row[1] += bool(first["findings"])
        row[2] += bool(quiet["findings"]) and not any(k == "TWIN" for k, _ in words)
        row[3] += first["findings"] == second["findings"]
        row[4] = max(row[4], wall, wall2)
    total = [sum(r[k] for r in rows.values()) for k in range(4)] + [max((r[4] for r in rows.values()), default=0)]
    rows = sorted(rows.items()) + [("all", total)]
    return "Small programs with a known answer, each with a correct twin", \
        table(["group", "pairs", "found", "false alarms", "same again", "slowest, s"],
              [[g, *r[:4], f"{r[4]:.1f}"] for g, r in rows])


# --- speed ---

UNIT_HEAD = "#include <pthread.h>\n#include <stdlib.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint total;\n"
UNIT_FUNCTION = """static int step%d(int *data, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        data[i] = data[i] * 3 + i;
        if (data[i] & 1)
            sum += data[i];
        else
            sum -= i;
    }
    return sum;
}
"""
UNIT_TAIL = """static void *work(void *arg)
{
    int data[64] = {0}, sum = 0;
    for (int round = 0; round < 1000000; round++) {
%s
        pthread_mutex_lock(&m);
        total += sum;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""


def unit(lines):
    n = max(1, (lines - 30) // (UNIT_FUNCTION.count("\n") + 1))
    return UNIT_HEAD + "".join(UNIT_FUNCTION % k for k in range(n)) + \
        UNIT_TAIL % "\n".join(f"        sum += step{k}(data, 64);" for k in range(n))


def peak_mb(argv):
    """Peak memory of the largest process."""
    code = "import resource,subprocess,sys\nsubprocess.run(sys.argv[1:],stdout=-3,stderr=-3)\n" \
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    return int(subprocess.run([sys.executable, "-c", code, *argv], stdout=subprocess.PIPE, check=True).stdout) / 1024


def edit_seconds(work, lines, edits):
    """From an edit to the diagnostics, through the language server."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "lsp"))
    sys.dont_write_bytecode = True
    import client as lsp
    path = os.path.join(work, "edited.c")
    with open(path, "w", encoding="utf-8") as f:
        f.write(unit(lines))
    c = lsp.Client(SNAG, work)
    c.open(path)
    c.diagnostics(path)
    good = "        total += sum;"
    with open(path, encoding="utf-8") as f:
        text = f.read()
    bad = text.replace("        pthread_mutex_lock(&m);\n", "").replace("        pthread_mutex_unlock(&m);\n", "")
    assert good in text
    times = []
    for k in range(edits):
        start = time.monotonic()
        c.change(path, {"text": bad if k % 2 == 0 else text})
        c.diagnostics(path, lambda d, k=k: bool(d) == (k % 2 == 0))
        times.append(time.monotonic() - start)
    c.end()
    return times


def speed(args):
    """Instructions a second, a unit of 5,000 lines, memory, the time from an edit to its diagnostics."""
    rows = []
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "unit.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(unit(5000))
        runs = [check([path], "--strategy", "random") for _ in range(1 if args.quick else 3)]
        report, wall, cpu = min(runs, key=lambda r: r[2])
        stats = report["stats"]
        rows.append(["interpreted instructions a second (processor time)",
                     f"{max(r[0]['stats']['steps_per_cpu_second'] for r in runs) / 1e6:.0f} M"])
        rows.append(["5,000 lines, compiled, and 10 M steps: processor time", f"{cpu:.2f} s"])
        rows.append(["the same: wall time", f"{wall:.2f} s"])
        rows.append(["steps of it", f"{stats['steps'] / 1e6:.1f} M"])
        rows.append(["peak memory", f"{peak_mb([SNAG, 'check', '--no-store', '--quiet', path]):.0f} MB"])
        times = edit_seconds(work, 2000, 4 if args.quick else 10)
        rows.append(["2,000 lines, edit to diagnostics, debounce of 0.3 s included: median",
                     f"{sorted(times)[len(times) // 2]:.2f} s"])
        rows.append(["the same, slowest", f"{max(times):.2f} s"])
    return "Speed", table(["what", "measured"], rows)


# --- larger programs ---

PACKAGES = {
    "pigz": ["make -j2 CC={cc} LDFLAGS="],
    "pbzip2": ["make -j2 CXX={cxx} LDFLAGS="],
    "memcached": ["./configure CC={cc} --disable-docs --disable-dependency-tracking", "make -j2"],
    "xz-utils": ["./configure CC={cc} --disable-shared --disable-doc --disable-nls", "make -j2"],
}


def build(package, folder):
    """Builds it with a compiler that takes notes. The folder of its compile_commands.json."""
    notes = os.path.join(folder, "compile.notes")
    wrapper = {}
    for key, compiler in (("cc", "gcc"), ("cxx", "g++")):
        wrapper[key] = os.path.join(folder, "record-" + compiler)
        with open(wrapper[key], "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\nexec {sys.executable} {HERE}/record_cc.py {notes} {compiler} "$@"\n')
        os.chmod(wrapper[key], 0o755)
    if not os.path.exists(notes + ".done"):
        if os.path.exists(notes):
            os.unlink(notes)
        subprocess.run("make clean || true", shell=True, cwd=folder, stdout=-3, stderr=-3, check=False)
        for k, command in enumerate(PACKAGES[package]):
            if k == len(PACKAGES[package]) - 1 and os.path.exists(notes):
                os.unlink(notes)  # what configure compiled
            subprocess.run(command.format(**wrapper), shell=True, cwd=folder, stdout=-3, stderr=-3, check=False)
        open(notes + ".done", "w", encoding="utf-8").close()
    with open(notes, encoding="utf-8") as f:
        entries = [json.loads(line) for line in f]
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as f:
        json.dump(entries, f, indent=1)
    return entries


def size(entries):
    """Lines and thread starts of the sources."""
    lines = starts = 0
    for path in {os.path.join(e["directory"], e["file"]) for e in entries}:
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        lines += text.count("\n")
        starts += len(re.findall(r"\b(pthread_create|mythread_create|launch)\s*\(", text))
    return lines, starts


def real(args):
    """Programs from Debian's source packages, whole."""
    where = os.path.join(args.build, "check-sources")
    wanted = [p for p in PACKAGES if args.only in p]
    subprocess.run([os.path.join(ROOT, "bench", "harness", "fetch.sh"), where, *wanted], check=True)
    rows, told = [], []
    for package in wanted:
        folder = os.path.join(where, package)
        entries = build(package, folder)
        lines, starts = size(entries)
        report, wall, cpu = check([], "-p", folder, "--candidates", timeout=3600)
        stats, found = report["stats"], report["findings"]
        sure = [f for f in found if f["status"] != "candidate"]
        units = len({os.path.join(e["directory"], e["file"]) for e in entries})
        rows.append([package, units, lines, stats.get("functions", 0), starts, f"{wall:.1f}", f"{cpu / max(units, 1):.2f}",
                     len(sure), len(found) - len(sure)])
        told += [f"- {package}: {f['title']} ({f['status']})" for f in found]
        print(rows[-1], flush=True)
    with open(os.path.join(args.build, "check-real.txt"), "w", encoding="utf-8") as f:
        f.write("\n".join(told) + "\n")
    print("\n".join(told))
    return "Larger programs", table(["package", "units", "lines", "functions", "thread starts", "wall, s",
                                     "processor s per unit", "predicted", "candidates"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "bench"))
    parser.add_argument("--parts", default="table3,small,speed,real")
    parser.add_argument("--only", default="", help="programs and packages with these words in their names")
    parser.add_argument("--limit", type=int, default=60, help="seconds after which a peer's run is ended")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true", help="leave the tables in BUILD/check.md")
    args, _ = parser.parse_known_args()
    os.makedirs(args.build, exist_ok=True)
    parts = {"table3": table3, "small": small, "speed": speed, "real": real}
    text = ""
    for name in args.parts.split(","):
        title, body = parts[name](args)
        text += f"### {title}\n\n{body}\n\n"
        print(f"\n### {title}\n\n{body}\n", flush=True)
    if args.write:
        with open(os.path.join(args.build, "check.md"), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
