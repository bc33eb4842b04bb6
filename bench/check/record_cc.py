#!/usr/bin/env python3
"""record_cc.py DATABASE COMPILER ARGUMENTS…: a compiler that writes down how it was called, as
compile_commands.json has it, one entry per line; the benchmark joins the lines."""
import json
import os
import sys

database, compiler, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
sources = [a for a in arguments if a.endswith((".c", ".cc", ".cpp", ".cxx"))]
if "-c" in arguments or sources:
    output = arguments[arguments.index("-o") + 1] if "-o" in arguments[:-1] else None
    with open(database, "a", encoding="utf-8") as f:
        for source in sources:
            entry = {"directory": os.getcwd(), "file": source, "arguments": [compiler, *arguments]}
            if output:
                entry["output"] = output
            f.write(json.dumps(entry) + "\n")
os.execvp(compiler, [compiler, *arguments])
