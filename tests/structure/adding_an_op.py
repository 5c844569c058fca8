"""Counts the places that a new operation touches, in the patch that adds one. usage: adding_an_op.py ROOT PATCH"""

import os
import re
import subprocess
import sys

from sources import report

# One file each; what stands in docs/adding-an-op.md.
PLACES = {
    "definition": "dialects/graph/NovaOps.td",
    "meaning": "compiler/reference/Elementary.h",
    "page": "docs/arithmetic.md",
    "test": "tests/reference/",
}
# What is no operation of the table: the frame, and what calls become.
NO_ROW = {"return", "dim_value"}


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def faults(root, patch):
    with open(patch, encoding="utf-8") as file:
        text = file.read()
    touched = re.findall(r"^\+\+\+ b/(.*)$", text, re.MULTILINE)
    hunks = len(re.findall(r"^@@ ", text, re.MULTILINE))
    if len(touched) != len(PLACES) or hunks != len(PLACES):
        yield f"an operation touches {hunks} places in {len(touched)} files, expected {len(PLACES)} in as many: {', '.join(touched)}"
    how = read(root, "docs/adding-an-op.md")
    for what, place in PLACES.items():
        if not any(path.startswith(place) for path in touched):
            yield f"the patch has no {what}: nothing in {place}"
        if place.rstrip("/") not in how and os.path.basename(place) not in how:
            yield f"docs/adding-an-op.md does not name the place of the {what}, {place}"
    check = subprocess.run(["git", "-C", root, "apply", "--check", patch], capture_output=True, text=True, check=False)
    if check.returncode:
        yield f"the patch does not apply: {check.stderr.strip()}"


def operations(root):
    definition = read(root, "dialects/graph/NovaOps.td")
    return re.findall(r'^def Nova_\w+Op : Nova_\w+<"(\w+)"', definition, re.MULTILINE)


def without_row(root):
    page = read(root, "docs/arithmetic.md")
    rows = set(re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in page.split("\n") if line.startswith("| `"))))
    for name in operations(root):
        if name not in rows | NO_ROW:
            yield f"docs/arithmetic.md has no row for the operation {name}"


def main(root, patch):
    return report([*faults(root, patch), *without_row(root)], f"a new operation touches {len(PLACES)} places")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
