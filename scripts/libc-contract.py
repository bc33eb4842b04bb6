#!/usr/bin/env python3
"""Makes contracts/libc.contract from contracts/data/glibc-mt-safety.txt: the functions that glibc's
manual marks as unsafe with threads, or as safe but for a tag.

  scripts/libc-contract.py            prints the contract
  scripts/libc-contract.py --write    writes contracts/libc.contract
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "contracts", "data", "glibc-mt-safety.txt")
OUT = os.path.join(ROOT, "contracts", "libc.contract")

# Tags that are no contract between two calls: signals, timers, first-call initialisation, the
# terminal, and what holds on other systems only. Two lgamma() spoil nothing but signgam, which hardly
# anybody reads; perror() is unsafe by the letter and common; two
# localeconv() write the same values (it still reads the locale); exit() has one caller in any sane program.
LEFT_OUT = {"signgam", "stderr", "exit", "setpriority", "setrlimit", "sigprocmask", "tcattr",
            "error_at_line", "streams", "mallopt", "malloc_hooks", "printfext", "hostid", "sigintr",
            "mcheck", "mtrace", "ap", "set", "fp", "ucp", "oucp", "read-fds", "write-fds",
            "except-fds", "root", "localeconv"}
# The pointer argument that a tag with a condition "/!arg" is about: unsafe when it is null.
NULL_ARGUMENT = {"mbrlen": 3, "mbrtowc": 4, "mbsnrtowcs": 5, "mbsrtowcs": 4, "wcrtomb": 3,
                 "wcsnrtombs": 5, "wcsrtombs": 4, "tmpnam": 1, "cuserid": 1}
# Tags that name an argument: the type of the object, and its place in each function.
OBJECTS = {
    "buf": ("random_data", {"random_r": 1, "srandom_r": 2, "initstate_r": 4, "setstate_r": 2}),
    "buffer": ("drand48_data", {"drand48_r": 1, "erand48_r": 2, "lrand48_r": 1, "nrand48_r": 2,
                                "mrand48_r": 1, "jrand48_r": 2, "srand48_r": 2, "seed48_r": 2,
                                "lcong48_r": 2}),
    "cd": ("iconv_t", {"iconv": 1}),
    "htab": ("hsearch_data", {"hcreate_r": 2, "hdestroy_r": 1, "hsearch_r": 5}),
    "obstack": ("obstack", {"obstack_printf": 1, "obstack_vprintf": 1}),
    "rootp": ("search_tree", {"tsearch": 2, "tfind": 2, "tdelete": 2}),
    "stream": ("FILE", {"fputc_unlocked": 2, "fputwc_unlocked": 2, "putc_unlocked": 2,
                        "putwc_unlocked": 2, "fputs_unlocked": 2, "fputws_unlocked": 2,
                        "fgetc_unlocked": 1, "fgetwc_unlocked": 1, "getc_unlocked": 1,
                        "getwc_unlocked": 1, "fgets_unlocked": 3, "fgetws_unlocked": 3,
                        "fread_unlocked": 4, "fwrite_unlocked": 4, "clearerr_unlocked": 1,
                        "fflush_unlocked": 1, "__fpurge": 1, "addmntent": 1}),
}
READERS = {"tfind"}
# Not in the data: readdir has a lock, but the entry that it returns lies in a buffer of the stream, which
# the next call on the same stream may fill anew.
BY_HAND = ["type DIR", "write DIR 1: readdir readdir64", "destroy DIR 1: closedir"]
# Words of the manual that are no function of libc's binary interface.
# glob and wordexp look into the user database for a tilde only.
NO_SYMBOL = re.compile(r"fNx?$|^(int|void|va_arg|getchar|__ppc_.*|timelocal)$")
# strtok with a null first argument goes on with the same hidden state, so all calls write it; setlocale
# with a null second argument only asks.
SETLOCALE_ASKS = 2


def read_data():
    """Yields (tags, functions)."""
    with open(DATA) as data:
        for line in data:
            if " : " not in line:
                continue
            tags, names = line.split(" : ")
            names = [n.strip() for n in names.split(",")]
            yield tags.split(), [n for n in names if not NO_SYMBOL.search(n)]


class Rules:
    """Rules by their head, functions in the order of the data."""

    def __init__(self):
        self.functions, self.states, self.types = {}, [], []

    def add(self, head, name):
        names = self.functions.setdefault(head, [])
        if name not in names:
            names.append(name)

    def state(self, name):
        if name not in self.states:
            self.states.append(name)

    def tag(self, tag, name):
        if tag in ("env", "locale"):
            self.state(tag)
            self.add(f"read {tag}", name)
            return
        if tag == "const:env":
            self.add("write env", name)
            return
        if tag == "const:locale":
            self.add(f"write locale if {SETLOCALE_ASKS} != 0", name)
            self.add(f"read locale if {SETLOCALE_ASKS} == 0", name)
            return
        if tag != "race" and not tag.startswith("race:"):
            return
        what, _, condition = (tag[5:] or name).partition("/")
        self.race(re.sub(r"\(.*", "", what), condition, name)

    def race(self, what, condition, name):
        if what == "utent" and name in ("glob", "glob64", "wordexp"):
            return
        if what in LEFT_OUT:
            return
        if what in OBJECTS:
            kind, places = OBJECTS[what]
            if name in places:
                if kind not in self.types:
                    self.types.append(kind)
                self.add(f"{'read' if name in READERS else 'write'} {kind} {places[name]}", name)
            return
        if what in ("obstack-ptr",):
            return
        if condition and name not in NULL_ARGUMENT:
            return
        self.state(what)
        null = f" if {NULL_ARGUMENT[name]} == 0" if condition else ""
        self.add(f"write {what}{null}", name)


def wrap(head, names):
    lines, line = [], head + ":"
    for name in names:
        if len(line) + len(name) > 95:
            lines.append(line + " \\")
            line = "   "
        line += " " + name
    return "\n".join(lines + [line])


def main():
    rules = Rules()
    for tags, names in read_data():
        for name in names:
            for tag in tags:
                rules.tag(tag, name)
    text = ["# Made by scripts/libc-contract.py from contracts/data/glibc-mt-safety.txt: do not edit.",
            "library libc",
            "about functions with hidden state, the environment, the locale (glibc)",
            "soname libc.so.6 libm.so.6 libcrypt.so.1 libutil.so.1 libresolv.so.2",
            "libc glibc"]
    text += [f"state {s}" for s in rules.states]
    text += [f"type {t}" for t in rules.types]
    text += [wrap(head, names) for head, names in rules.functions.items()]
    text += BY_HAND
    out = "\n".join(text) + "\n"
    if sys.argv[1:] == ["--write"]:
        with open(OUT, "w") as f:
            f.write(out)
    else:
        sys.stdout.write(out)


if __name__ == "__main__":
    main()
