#!/usr/bin/env python3
"""A compiler command whose compile and link steps are different commands.

usage: split_cc.py COMPILE LINK ARGS…     each of the first two is one argument of several words

For builds that know one CC only: instrumented objects that are linked with another runtime. Sources
in a link command are compiled first.
"""

import os
import shlex
import subprocess
import sys
import tempfile

SOURCES = (".c", ".cc", ".cpp", ".cxx")
NO_LINK = ("-c", "-S", "-E", "-M", "-MM", "--version", "-v", "-V", "-qversion")


def for_linker(word):
    return word.startswith(("-l", "-L", "-Wl,")) or word.endswith((".o", ".a", ".so"))


def compile_flags(words):
    """The words of a combined command that a compile step needs."""
    flags, skip = [], False
    for word in words:
        if skip or word == "-o":
            skip = not skip
        elif not for_linker(word) and not word.endswith(SOURCES):
            flags.append(word)
    return flags


def main(argv):
    compile_command, link_command, words = shlex.split(argv[0]), shlex.split(argv[1]), argv[2:]
    if any(word in NO_LINK for word in words):
        return subprocess.call(compile_command + words)
    with tempfile.TemporaryDirectory() as folder:
        linked = []
        for index, word in enumerate(words):
            if not word.endswith(SOURCES) or (index and words[index - 1] == "-o"):
                linked.append(word)
                continue
            out = os.path.join(folder, "%d.o" % index)
            status = subprocess.call(compile_command + compile_flags(words) + ["-c", word, "-o", out])
            if status:
                return status
            linked.append(out)
        return subprocess.call(link_command + linked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
