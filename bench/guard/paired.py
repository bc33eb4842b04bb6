"""paired.py: is one server slower than another, and by how much? Runs of a server scatter by 20 %, because of where the
kernel puts threads and of what else the machine does; but two servers that are loaded in turns, for some hundredths of a
second each, see the same machine. A pair is a fresh start of both; what comes first is left out as a warm-up; of the turns
that follow, the median ratio counts. The result is the median of the pairs' ratios with a confidence interval of 95 % that
takes nothing for granted about how they scatter (the sign test's: between two ranks)."""

import math
import os
import re
import statistics
import subprocess

WARM_UP = 40  # turns


def interval(ratios):
    """The median of the ratios less one, and between what it is with 95 % confidence, in percent."""
    n = len(ratios)
    ranked = sorted(100 * (ratio - 1) for ratio in ratios)
    tail, low = 0.0, 0
    while low < n // 2:
        tail += math.comb(n, low) / 2 ** n
        if tail > 0.025:
            break
        low += 1
    low = max(low - 1, 0)
    return (ranked[n // 2] + ranked[(n - 1) // 2]) / 2, ranked[low], ranked[n - 1 - low]


def words_of(ratios):
    return "%+.2f %% (%+.2f to %+.2f)" % interval(ratios)


class Loaded:
    """A server with its load, which sends requests when it is told to (MCLOAD_SLICES)."""

    def __init__(self, words, env):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, MCLOAD_SLICES="1", **env))

    def turn(self):
        """Seconds, processor time of the server, microseconds that half of the answers took, and 99 of 100."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [float(x) for x in re.fullmatch(r"slice (\S+) (\S+) (\S+) (\S+)\n", self.process.stdout.readline()).groups()]

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


def one_pair(commands, turns, env):
    """What turn() says, of all turns of each command."""
    both = [Loaded(words, env) for words in commands]
    said = [[], []]
    for i in range(turns + WARM_UP):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            said[which].append(both[which].turn())
    if any(loaded.end() for loaded in both):
        raise RuntimeError("a server or its load failed: %s" % commands)
    return [one[WARM_UP:] for one in said]


def servers(commands, pairs, turns, env=None):
    """Ratios of the second command to the first, one for each pair: time of a request (throughput is its inverse), the
    server's processor time, median and 99th percentile of the latency; and the medians of what the first took."""
    ratios, first = [[] for _ in range(4)], [[] for _ in range(4)]
    for i in range(pairs):
        said = one_pair(commands if i % 2 == 0 else commands[::-1], turns, env or {})
        plain, other = said if i % 2 == 0 else said[::-1]
        for k in range(4):
            ratios[k].append(statistics.median(b[k] / a[k] for a, b in zip(plain, other)))
            first[k] += [a[k] for a in plain]
    return ratios, [statistics.median(x) for x in first]


def one_run(words):
    """As turn(), of a program that prints "seconds S P50 P99" and ends."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    process.stdout.close()
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise RuntimeError("it failed: %s" % words)
    seconds, half, most = (float(x) for x in re.search(r"^seconds (\S+) (\S+) (\S+)$", out, re.M).groups())
    return seconds, used.ru_utime + used.ru_stime, half, most


def runs(commands, pairs):
    """As servers(), of programs that are a server and its load."""
    ratios = [[] for _ in range(4)]
    for i in range(pairs + 1):
        said = [one_run(words) for words in (commands if i % 2 == 0 else commands[::-1])]
        plain, other = said if i % 2 == 0 else said[::-1]
        for k in range(4) if i else ():  # the first pair finds the files cold
            ratios[k].append(other[k] / plain[k])
    return ratios
