"""check.py REPORT… [--schema FILE]: SARIF against its shape (and the whole schema, when there is one), and what no
schema can say: rules are in the table, the order of a flow is an order, fingerprints differ. JUnit: --junit FILE."""
import json
import sys
import xml.etree.ElementTree as xml

import jsonschema


def validate(document, schema, name):
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft7Validator)(schema)
    errors = list(validator.iter_errors(document))
    for error in errors[:5]:
        print(f"{name}: at {'/'.join(map(str, error.path))}: {error.message[:200]}")
    return not errors


def check_flows(result):
    for flow in result.get("codeFlows", []):
        order = [at["executionOrder"] for thread in flow["threadFlows"] for at in thread["locations"]]
        assert sorted(order) == list(range(1, len(order) + 1)), "every step has its place in the order of all"
        for thread in flow["threadFlows"]:
            own = [at["executionOrder"] for at in thread["locations"]]
            assert own == sorted(own), "a thread's steps are in the order of time"


def check_meaning(document):
    run, = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"], "the rule's number is its own"
        check_flows(result)
    keys = [r["partialFingerprints"]["snagFindingKey/v1"] for r in run["results"]]
    assert len(set(keys)) == len(keys), "no two results are the same finding"


def check_junit(path):
    suites = xml.parse(path).getroot()
    assert suites.tag == "testsuites"
    cases = suites.findall("testsuite/testcase")
    failed = [c for c in cases if c.find("failure") is not None]
    assert int(suites.get("tests")) == len(cases) and int(suites.get("failures")) == len(failed)
    for case in failed:
        assert case.get("name") and case.get("classname").startswith("snag.") and case.find("failure").text
    return True


def main():
    words = sys.argv[1:]
    schema = json.load(open(words.pop(words.index("--schema") + 1))) if "--schema" in words else None
    junit = words.pop(words.index("--junit") + 1) if "--junit" in words else None
    shape = json.load(open(sys.path[0] + "/shape.json"))
    good = True
    for path in [w for w in words if not w.startswith("--")]:
        document = json.load(open(path))
        good &= validate(document, shape, path)
        if schema:
            good &= validate(document, schema, path + " (whole schema)")
        check_meaning(document)
    if junit:
        good &= check_junit(junit)
    sys.exit(not good)


main()
