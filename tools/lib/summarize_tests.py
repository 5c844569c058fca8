"""Reads lit's results file, prints `N passed, N failed[, N skipped]`; exits 1 when something failed or nothing ran."""

import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED"}
LEFT_OUT = {"EXCLUDED"}


def summarize(results):
    """Counts (passed, failed, skipped). Whatever is neither passed nor left out on purpose is a failure."""
    codes = [test["code"] for test in results["tests"]]
    passed = sum(code in PASSED for code in codes)
    skipped = sum(code in SKIPPED for code in codes)
    left_out = sum(code in LEFT_OUT for code in codes)
    return passed, len(codes) - passed - skipped - left_out, skipped


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            passed, failed, skipped = summarize(json.load(file))
    except (OSError, ValueError, KeyError) as error:
        print(f"the test run left no readable results: {error}", file=sys.stderr)
        passed, failed, skipped = 0, 1, 0
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
