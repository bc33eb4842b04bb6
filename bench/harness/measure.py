"""Runs commands and keeps what they took: medians of interleaved runs."""

import os
import statistics
import subprocess

from toolchain import HARNESS


class Sample:
    """One run: seconds, processor seconds, peak KiB, how it ended, what it printed."""

    def __init__(self, seconds, peak_kib, status, output, errors, cpu=None):
        self.seconds = seconds
        self.cpu = cpu
        self.peak_kib = peak_kib
        self.timed_out = os.WIFSIGNALED(status) and os.WTERMSIG(status) == 9
        self.exit = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        self.output = output
        self.errors = errors


class Runner:
    def __init__(self, toolchain, limit_seconds):
        self.measure = toolchain.tool(os.path.join(HARNESS, "measure.c"))
        self.result = os.path.join(toolchain.build, "measure.%d.result" % os.getpid())
        self.limit_seconds = limit_seconds

    def run(self, argv, env=None, cwd=None):
        done = subprocess.run(
            [self.measure, self.result, str(self.limit_seconds), *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, **(env or {})),
            cwd=cwd,
        )
        if done.returncode:
            raise OSError("measure: %s" % done.stderr.decode(errors="replace"))
        with open(self.result, encoding="ascii") as file:
            wall, user, system, peak, status = file.read().split()
        os.unlink(self.result)
        return Sample(
            float(wall),
            int(peak),
            int(status),
            done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace"),
            float(user) + float(system),
        )


class Cell:
    """All runs of one program in one column."""

    def __init__(self):
        self.samples = []
        self.races = None  # the set of distinct races, when they were looked for
        self.trouble = ""  # why there is no time: a build that failed, a wrong answer, too slow

    @property
    def seconds(self):
        return statistics.median(s.seconds for s in self.samples) if self.samples else None

    @property
    def peak_kib(self):
        return statistics.median(s.peak_kib for s in self.samples) if self.samples else None

    def add(self, sample, expected_output, ignore_exit=()):
        """Takes a run in; a run that is not what it should be spoils the cell and says why."""
        if sample.timed_out:
            self.trouble = "over %d s" % sample.seconds
        elif sample.exit != 0 and sample.exit not in ignore_exit:
            self.trouble = "exit %d" % sample.exit
        elif expected_output is not None and sample.output != expected_output:
            self.trouble = "wrong output"
        else:
            self.samples.append(sample)

    def ratio(self, other, what="seconds"):
        mine, theirs = getattr(self, what), getattr(other, what) if other else None
        return mine / theirs if mine and theirs else None


def geometric_mean(values):
    values = [value for value in values if value]
    return statistics.geometric_mean(values) if values else None
