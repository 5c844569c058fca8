"""Reads lit's xUnit file, prints `N passed, N failed[, N skipped]`; exits 1 when something failed or nothing ran.

lit's JSON file would be simpler, but leaves out the test cases that skip themselves.
"""

import sys
import xml.etree.ElementTree as ElementTree

# What lit writes for tests that an option left out: neither passed, failed nor skipped.
LEFT_OUT = "Test not selected"


def summarize(root):
    """Counts (passed, failed, skipped) over all test cases."""
    passed = failed = skipped = 0
    for case in root.iter("testcase"):
        reason = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif reason is None:
            passed += 1
        elif not reason.get("message", "").startswith(LEFT_OUT):
            skipped += 1
    return passed, failed, skipped


def main(path):
    try:
        passed, failed, skipped = summarize(ElementTree.parse(path).getroot())
    except (OSError, ElementTree.ParseError) as error:
        print(f"the test run left no readable results: {error}", file=sys.stderr)
        passed, failed, skipped = 0, 1, 0
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
