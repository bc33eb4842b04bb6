#!/usr/bin/env python3
"""Tests of tests/run itself: a runner that accepts everything would hide every bug."""
import importlib.machinery
import importlib.util
import os
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
loader = importlib.machinery.SourceFileLoader("run", os.path.join(HERE, "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)

SOURCE = """// What it shows.
// EXPECT: data-race RACE1/write/4 RACE2/read
// EXPECT-OBJECT: global counter
// EXPECT-LOCKS: RACE1 a b
// EXPECT-STACK: RACE2 second
{extra}
int counter;
counter = 1; // RACE1
seen = counter; // RACE2
other = 1; // RACE3
"""


def program(extra=""):
    with tempfile.NamedTemporaryFile("w", suffix=".c", delete=False) as f:
        f.write(SOURCE.format(extra=extra))
    p = run.Program(f.name)
    os.unlink(f.name)
    run.check_line_tags(p)
    return p


def site(p, line, op="write", size=4, function="first", locks=()):
    stack = [{"function": function, "file": p.path, "line": line},
             {"function": "start_thread", "file": "pthread_create.c", "line": 442}]
    return {"op": op, "size": size, "stack": stack, "locks": list(locks)}


def found(p, first=8, second=9, **change):
    raw = {"kind": "data-race", "status": "observed", "title": "a race",
           "object": {"kind": "global", "name": "counter"},
           "sites": [site(p, second, "read", function="second"), site(p, first, locks=["b", "a"])]}
    raw.update(change)
    return run.Snag.finding(raw)


class FindingsTest(unittest.TestCase):
    def problems(self, p, *findings):
        return run.check_findings(p, list(findings), refine=True)

    def test_expected_race_in_either_order(self):
        p = program()
        self.assertEqual(self.problems(p, found(p)), [])
        turned = found(p)
        turned.sites.reverse()
        self.assertEqual(self.problems(p, turned), [])

    def test_nothing_found(self):
        self.assertTrue(self.problems(program()))

    def test_other_line(self):
        p = program()
        self.assertEqual(len(self.problems(p, found(p, first=10))), 2)

    def test_additional_finding(self):
        p = program()
        self.assertEqual(len(self.problems(p, found(p), found(p, first=10))), 1)
        p = program("// ALLOW: data-race RACE3 RACE2")
        self.assertEqual(self.problems(p, found(p), found(p, first=10)), [])

    def test_other_kind_operation_size_object_lock_stack(self):
        p = program()
        self.assertTrue(self.problems(p, found(p, kind="misuse")))
        self.assertTrue(self.problems(p, found(p, object={"kind": "heap"})))
        for change in ({"op": "read"}, {"size": 8}, {"locks": ["a"]}):
            wrong = found(p)
            wrong.sites[1].update(change)
            self.assertTrue(self.problems(p, wrong), change)
        wrong = found(p)
        wrong.sites[0]["stack"] = [("other",) + wrong.sites[0]["stack"][0][1:]]
        self.assertTrue(self.problems(p, wrong))

    def test_third_site(self):
        p = program()
        more = found(p)
        more.sites.append(more.sites[0])
        self.assertTrue(self.problems(p, more))


class ProgramTest(unittest.TestCase):
    def test_unknown_tag_and_kind(self):
        for extra in ("// EXPECT: data-race RACE1 RACE9", "// EXPECT: race RACE1 RACE2"):
            with self.assertRaises(run.Problem):
                program(extra)

    def test_exit_status(self):
        p = program()
        self.assertEqual(run.check_status(p, 66, 0), [])
        self.assertTrue(run.check_status(p, 0, 0))
        p = program("// EXPECT-PROGRAM-EXIT: 7")
        self.assertEqual(run.check_status(p, 66, 7), [])
        self.assertTrue(run.check_status(p, 66, 0))

    def test_output(self):
        p = program("// EXPECT-STDOUT: one")
        self.assertEqual(run.check_output(p, "one\n"), [])
        self.assertTrue(run.check_output(p, "one\ntwo\n"))


class PeerTest(unittest.TestCase):
    REPORT = """==================
WARNING: ThreadSanitizer: data race (pid=1)
  Read of size 4 at 0x5581 by thread T2 (mutexes: write M1):
    #0 second {0}:9:12 (prog+0x1)

  Previous write of size 4 at 0x5581 by thread T1:
    #0 first {0}:8:13 (prog+0x2)

  Location is global 'counter' of size 4 at 0x5581 (prog+0x3)

  Thread T2 (tid=2, running) created by main thread at:
    #0 pthread_create <null> (prog+0x4)
    #1 main {0}:10:5 (prog+0x5)
==================
"""

    def test_report_is_read(self):
        p = program()
        findings = run.parse_tsan(self.REPORT.format(p.path))
        self.assertEqual(len(findings), 1)
        self.assertEqual(run.check_findings(p, findings, refine=False), [])


if __name__ == "__main__":
    unittest.main()
