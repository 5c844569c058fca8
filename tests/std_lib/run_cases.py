"""Runs the cases of one function of std_lib: `run_cases.py FUNCTION.cases.json`. README.md describes the file."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))

# pylint: disable=wrong-import-position
import references
from case import Nova, close, same_bits
from checks import Check
from function import Function
from inputs import inputs_of

DEMANDS = ("expect", "bits", "holds", "same_as", "near_to", "unmoved", "unread", "flat", "chunks")
KEYS = {"name", "sizes", "seed", "arguments", "types", "reference", "tolerance", "refused", "along", "at", *DEMANDS}


def run_case(function, backends, case, instance):
    """One case on one element type: the backends agree, the reference agrees, rows may come one by one where that takes
    a state, and what the case demands holds."""
    inputs, options = inputs_of(function, case, instance), function.options(instance)
    if "refused" in case:
        for nova in backends.values():
            nova.refused(function.path, inputs, *case["refused"], results=function.results, **options)
        return
    runs = {name: nova.run(function.path, inputs, function.results, **options) for name, nova in backends.items()}
    got = runs["compiled"]
    if instance == "f32": # the only type with library tiles
        runs["compiled without oneDNN"] = backends["compiled"].run(
            function.path, inputs, function.results, onednn="off", **options)
    reference = getattr(references, function.short)
    check = Check(function, backends, reference, case, instance, inputs, got)
    for other, values in runs.items():
        for name, value in values.items():
            same_bits(got[name], value, f"result {name}, compiled beside {other}")
    if case.get("reference", True):
        for name, value in check.expected(inputs).items():
            close(got[name], value, f"result {name} beside the reference", check.tolerance)
    elif not any(demand in case for demand in DEMANDS):
        raise AssertionError("the case demands nothing")
    if function.declared["state"] and "chunks" not in case:
        check.decode("1", "compiled")
    for demand in DEMANDS:
        if demand in case:
            getattr(check, demand)(case[demand])


def main(path):
    backends = {"compiled": Nova("compiled"), "interpreter": Nova("interpreter")}
    function = Function(backends["interpreter"], path)
    failures = []

    def attempt(name, step, *words):
        try:
            step(*words)
            print(f"ok {name}")
        except AssertionError as error:
            failures.append(name)
            print(f"FAIL {name}: {error}")

    attempt("what is declared", function.check_declared)
    names = [case["name"] for case in function.declared["cases"]]
    if len(set(names)) != len(names):
        raise SystemExit(f"{path}: two cases have one name")
    for case in function.declared["cases"]:
        unknown = set(case) - KEYS
        if unknown:
            raise SystemExit(f"{path}: case {case['name']}: unknown members {sorted(unknown)}")
        for instance in case.get("types", ["f64"]):
            attempt(f"{case['name']} ({instance})", run_case, function, backends, case, instance)
    if failures:
        raise SystemExit(f"{function.short}: {len(failures)} failed: {', '.join(failures)}")


if __name__ == "__main__":
    main(sys.argv[1])
