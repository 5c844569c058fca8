"""Tests of tools/lib/summarize_tests.py."""

import os
import subprocess
import sys
import tempfile

CASES = {
    "pass": "/>",
    "fail": "><failure>an assertion</failure></testcase>",
    "unsupported": "><skipped message='Missing required feature(s): gpu'/></testcase>",
    "self-skipped": "><skipped message='User interrupt'/></testcase>",
    "left out": "><skipped message='Test not selected (--filter, --max-tests)'/></testcase>",
}


def run(root, content):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(content)
        file.flush()
        script = os.path.join(root, "tools", "lib", "summarize_tests.py")
        result = subprocess.run([sys.executable, script, file.name], capture_output=True, text=True, check=False)
    return result.stdout.splitlines()[-1], result.returncode


def cases(*kinds):
    body = "".join(f"<testcase name='{i}'{CASES[kind]}" for i, kind in enumerate(kinds))
    return f"<testsuites><testsuite name='a'>{body}</testsuite></testsuites>"


def main(root):
    expected = [
        (cases("pass", "pass"), ("2 passed, 0 failed", 0)),
        (cases("pass", "unsupported", "self-skipped", "left out"), ("1 passed, 0 failed, 2 skipped", 0)),
        (cases("pass", "fail"), ("1 passed, 1 failed", 1)),
        (cases(), ("0 passed, 0 failed", 1)),
        (cases("unsupported", "left out"), ("0 passed, 0 failed, 1 skipped", 1)),
        ("<testsuites>", ("0 passed, 1 failed", 1)),
    ]
    for content, wanted in expected:
        found = run(root, content)
        assert found == wanted, f"for {content}: expected {wanted}, found {found}"


if __name__ == "__main__":
    main(sys.argv[1])
