"""Tables for the terminal and for Markdown, and the marked sections of doc/results.md."""

import datetime
import os
import platform
import re

from toolchain import ROOT

RESULTS = os.path.join(ROOT, "doc", "results.md")


def text_table(head, rows):
    """Columns as wide as their widest entry; numbers and short words to the right."""
    table = [head] + rows
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    left = [i == 0 or max([len(row[i]) for row in rows] + [0]) > 20 for i in range(len(head))]

    def line(row):
        cells = [row[i].ljust(widths[i]) if left[i] else row[i].rjust(widths[i]) for i in range(len(row))]
        return "  ".join(cells).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths)] + [line(row) for row in rows])


def markdown_table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def number(value, digits=2):
    if value is None:
        return "–"
    return "%.*f" % (digits if value < 100 else 0, value)


def machine():
    """What the numbers were measured on."""
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        match = re.search(r"model name\s*: (.*)", file.read())
        model = match.group(1) if match else platform.machine()
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = int(re.search(r"MemTotal:\s+(\d+)", file.read()).group(1)) >> 20
    kernel = platform.release().split("-")[0]
    return "%s, %d cores, %d GiB, Linux %s" % (model, os.cpu_count(), memory, kernel)


def today():
    return datetime.date.today().isoformat()


def write_section(name, text, path=RESULTS):
    """Puts text between the markers of a section; adds the section at the end if it is new."""
    begin, end = "<!-- %s begin -->" % name, "<!-- %s end -->" % name
    section = "%s\n%s\n%s" % (begin, text.strip(), end)
    old = "# Results\n"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            old = file.read()
    if begin in old and end in old:
        new = old[: old.index(begin)] + section + old[old.index(end) + len(end) :]
    else:
        new = old.rstrip("\n") + "\n\n" + section + "\n"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(new)
    os.replace(path + ".new", path)
