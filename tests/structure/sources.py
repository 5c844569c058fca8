"""The tracked files of the repository, for the structure checks."""

import os
import subprocess

CODE = (".cpp", ".h", ".td", ".c", ".cu", ".py", ".cmake", ".in")
SCRIPTS = ("tools/bootstrap", "tools/demo", "tools/test", "benchmarks/compare/run", ".ci/run")


def files(root):
    """Repository paths of all files that git tracks or would add, sorted. Files deleted in the tree are left out."""
    command = ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({path for path in listed if path and os.path.isfile(os.path.join(root, path))})


def text(root, path):
    """The file's text, or None for a binary file."""
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    if b"\0" in data:
        return None
    return data.decode("utf-8", errors="replace")


def report(faults, passed):
    """Prints the faults, or one line that says what holds, for FileCheck-free RUN lines. Returns the exit code."""
    for fault in faults:
        print(fault)
    if not faults:
        print(passed)
    return 1 if faults else 0
