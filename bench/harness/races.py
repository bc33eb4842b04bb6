"""Distinct races out of the reports of each tool.

A race is an unordered pair of sites; a site is FILE:LINE of the innermost frame that lies in the
program's own source. Where a tool names only one side (DRD; ThreadSanitizer when it has forgotten the
other stack) the other one is "?".
"""

import json
import os
import re
import xml.etree.ElementTree as xml

RUNTIME = re.compile(r"libsanitizer|sanitizer_common|compiler-rt|/valgrind/|vg_replace|hg_intercepts|drd_pthread")
FRAME = re.compile(r"^\s+#\d+ (?P<function>.*?) (?P<file>\S+?)(?::(?P<line>\d+))?(?::\d+)?(?: \(|$)")


def pair(one, two):
    return tuple(sorted([one or "?", two or "?"]))


def site(frames, hidden):
    """frames: (function, file, line), innermost first. None when all are the tool's."""
    for function, file, line in frames:
        if function.startswith(hidden):
            return "hidden"
        if file and file != "<null>" and not RUNTIME.search(file):
            place = line if line and int(line) else function + "()"  # code that stands for no line
            return "%s:%s" % (os.path.basename(file), place)
    return None


def snag_site(frames, hidden):
    """As site(), but no frame is the tool's own: one without a file is code that stands for no line."""
    first = frames[0] if frames else ("", "", "")
    if first[0] and not first[1] and not first[0].startswith(hidden):
        return first[0] + "()"
    return site(frames, hidden)


def tsan_stacks(report):
    """The stacks of a ThreadSanitizer report, each under its heading."""
    stacks = []
    for line in report.splitlines():
        match = FRAME.match(line)
        if match and stacks:
            stacks[-1][1].append(match.group("function", "file", "line"))
        elif line.startswith("  ") and line.rstrip().endswith(":"):
            stacks.append((line.strip(), []))
        elif "failed to restore the stack" in line and stacks:
            stacks[-1][1].append(("?", "", ""))
    return stacks


def tsan_races(text):
    """For each race in ThreadSanitizer's reports the frames of its two accesses; none: forgotten."""
    for report in re.split(r"(?m)^=+$", text):
        if not re.search(r"WARNING: ThreadSanitizer: (data race|heap-use-after-free)", report):
            continue
        stacks = tsan_stacks(report)
        accesses = [frames for head, frames in stacks if re.search(r"(read|write) of size", head, re.I)]
        if accesses:
            yield (accesses + [[]])[:2]


def from_tsan(text, hidden):
    return {pair(*(site(frames, hidden) for frames in accesses)) for accesses in tsan_races(text)}


def xml_frames(stack):
    return [(f.findtext("fn", ""), f.findtext("file", ""), f.findtext("line", "")) for f in stack.findall("frame")]


def from_valgrind(path, hidden):
    """Helgrind names both sides; DRD the present one only."""
    found = set()
    try:
        root = xml.parse(path).getroot()
    except (OSError, xml.ParseError):
        return found
    for error in root.findall("error"):
        if error.findtext("kind") not in ("Race", "ConflictingAccess"):
            continue
        stacks = error.findall("stack")
        other = None
        told = "".join(t for x in error.findall("xauxwhat") for t in x.itertext())
        if error.findtext("kind") == "Race" and "conflicts" in told:
            other = site(xml_frames(stacks[1]), hidden) if len(stacks) > 1 else None
        found.add(pair(site(xml_frames(stacks[0]), hidden), other))
    return found


def from_snag(path, hidden):
    found = set()
    try:
        with open(path, encoding="utf-8") as file:
            findings = json.load(file)["findings"]
    except (OSError, ValueError, KeyError):
        return found
    for finding in findings:
        if finding["kind"] != "data-race" or finding.get("status") == "candidate":
            continue
        stacks = [access.get("stack", []) for access in finding["sites"]]
        frames = [[(f.get("function", ""), f.get("file", ""), f.get("line", 0)) for f in s] for s in stacks]
        sites = [snag_site(stack, hidden) for stack in frames]
        found.add(pair(*(sites + [None, None])[:2]))
    return found


def distinct(column, sample, report, hidden="hidden_"):
    """The set of races that one run reported."""
    if column.kind == "tsan":
        found = from_tsan(sample.errors, hidden)
    elif column.kind == "valgrind":
        found = from_valgrind(report, hidden)
    elif column.kind == "snag":
        found = from_snag(report, hidden)
    else:
        return set()
    return {race for race in found if "hidden" not in race}


def expected(source):
    """The pairs that a racy program names in its head, by the lines that carry the names."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    names = {}
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"/\* \[(\w+)\] \*/", line):
            names[name] = "%s:%d" % (os.path.basename(source), number)
    listed = re.search(r"\* pairs: (.*?)\*/", text, re.S).group(1)
    pairs = re.findall(r"(\w+)-(\w+)", listed)
    return {pair(names[one], names[two]) for one, two in pairs}


def hits(found, wanted):
    """How many wanted pairs were found; a race with one unknown side stands for one pair at most."""
    missing = wanted - found
    for race in found:
        if "?" not in race:
            continue
        match = next((w for w in sorted(missing) if (set(race) - {"?"}) & set(w)), None)
        missing.discard(match)
    return len(wanted) - len(missing)


def false_alarms(found, wanted):
    sites = {one for race in wanted for one in race} | {"?"}
    return {race for race in found if race not in wanted and not ("?" in race and set(race) <= sites)}


def is_among(one, sites):
    return one in sites or ("*" in sites and one != "?")


class Verdicts:
    """The races of the real programs that were examined: a file of lines, see its head."""

    def __init__(self, path):
        self.groups = []
        with open(path, encoding="utf-8") as file:
            for line in file:
                if "|" in line and not line.startswith("#"):
                    program, what, verdict, one, two = (part.strip() for part in line.split("|"))
                    self.groups.append((program, what, verdict, one.split(), two.split()))

    def of(self, program, race):
        """(what, verdict) of a race, or None when nobody has looked at it."""
        for name, what, verdict, one, two in self.groups:
            if name.split()[0] == program and any(is_among(a, one) and is_among(b, two) for a, b in (race, race[::-1])):
                return what, verdict
        if "?" in race:
            return "one side of it is named", "not examined"
        return None
