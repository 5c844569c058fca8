"""Tests of tools/lib/summarize_tests.py."""

import json
import os
import subprocess
import sys
import tempfile


def run(root, content):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(content)
        file.flush()
        script = os.path.join(root, "tools", "lib", "summarize_tests.py")
        result = subprocess.run([sys.executable, script, file.name], capture_output=True, text=True, check=False)
    return result.stdout.splitlines()[-1], result.returncode


def codes(*names):
    return json.dumps({"tests": [{"name": str(i), "code": code} for i, code in enumerate(names)]})


def main(root):
    expected = [
        (codes("PASS", "PASS", "XFAIL"), ("3 passed, 0 failed", 0)),
        (codes("PASS", "UNSUPPORTED", "SKIPPED", "EXCLUDED"), ("1 passed, 0 failed, 2 skipped", 0)),
        (codes("PASS", "FAIL", "XPASS", "UNRESOLVED", "TIMEOUT"), ("1 passed, 4 failed", 1)),
        (codes(), ("0 passed, 0 failed", 1)),
        (codes("UNSUPPORTED"), ("0 passed, 0 failed, 1 skipped", 1)),
        ("{", ("0 passed, 1 failed", 1)),
        ("{}", ("0 passed, 1 failed", 1)),
    ]
    for content, wanted in expected:
        found = run(root, content)
        assert found == wanted, f"for {content}: expected {wanted}, found {found}"


if __name__ == "__main__":
    main(sys.argv[1])
