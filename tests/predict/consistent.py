#!/usr/bin/env python3
"""consistent.py TRACE.txt: is a recorded trace an execution? Every read has the value of the last write."""
import re
import sys

memory, checked, bad = {}, 0, 0
access = re.compile(r"T(\d+) (read|write|atomic-load|atomic-store|atomic-rmw) (\S+) (\d+)(?: =(\S+))?")
names = {}


def address(word):
    name, _, offset = word.partition("+")
    base = int(name, 16) if name.startswith("0x") else names[name]
    return base + int(offset or "0", 0)


def number(word):
    return address(word[1:]) if word.startswith("&") else int(word)


def bytes_of(value, size):
    return [value >> 8 * i & 255 for i in range(size)]


def look(at, size, value, line):
    global checked, bad
    for i, b in enumerate(bytes_of(value, size)):
        known = memory.get(at + i)
        checked += known is not None
        if known is not None and known != b:
            bad += 1
            print("not the value that was written:", line.strip(), file=sys.stderr)
            return
        memory[at + i] = b


for line in open(sys.argv[1]):
    words = line.split()
    if words and words[0] == "name":
        names[words[1]] = int(words[2], 16)
    m = access.match(line)
    if m:
        _, op, where, size, value = m.groups()
        at, size = address(where), int(size)
        if value is None:
            for i in range(size):
                memory.pop(at + i, None)
        elif op in ("read", "atomic-load"):
            look(at, size, number(value), line)
        else:
            old, arrow, new = value.partition("->")
            if arrow:
                look(at, size, number(old), line)
                old = new
            for i, b in enumerate(bytes_of(number(old), size)):
                memory[at + i] = b
    elif len(words) > 1 and words[1] in ("alloc", "free", "map", "unmap"):
        at, size = address(words[2]), int(words[3]) if len(words) > 3 and words[3].isdigit() else 0
        if size < 1 << 20:
            for i in range(size):
                memory.pop(at + i, None)
        else:
            for a in [a for a in memory if at <= a < at + size]:
                del memory[a]
    elif len(words) > 1 and words[1] == "leave-code":
        memory.clear()
print(checked)
sys.exit(bad > 0 or checked < int(sys.argv[2]))
