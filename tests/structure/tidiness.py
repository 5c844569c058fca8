"""Rules that a reader relies on: a README in every source folder, short files, no path of one machine, no promises."""

import os
import re
import sys

from sources import CODE, SCRIPTS, files, report, text

README_LAYERS = ("dialects", "compiler", "runtime", "std_lib", "tools", "tests", "benchmarks", "examples")
LONGEST = 800
# Top-level folders where only one machine's files are: homes, mounts, work areas.
MACHINE_PATH = re.compile(r"(?<![\w.\-/$}])/(?:home|root|work|farm|Users|mnt|srv|data|workspace)/[\w.\-]+")
# Assembled, so that this file does not contain them.
PROMISE = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "not " + "implemented"]) + r")\b")


def folders_without_readme(paths):
    """The first two levels of every layer, and the folders of documents."""
    known = set(paths)
    wanted = set()
    for path in paths:
        parts = path.split("/")[:-1]
        if parts and parts[0] in README_LAYERS:
            wanted.update("/".join(parts[:depth]) for depth in (1, 2) if len(parts) >= depth)
    for folder in sorted(wanted):
        if os.path.basename(folder) in ("include", "Inputs", "lib"):
            continue
        if folder + "/README.md" not in known:
            yield f"{folder}: a README.md is missing that says what lives here and what it may depend on"


def faults_in(path, source):
    lines = source.split("\n")
    code = path.endswith(CODE) or path in SCRIPTS
    if code and len(lines) > LONGEST:
        yield f"{path}: {len(lines)} lines; a file holds one idea in at most {LONGEST}"
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield f"{path}:{number}: a path of one machine: {MACHINE_PATH.search(line).group(0)}"
        if code and PROMISE.search(line):
            yield f"{path}:{number}: a promise instead of a reason: {PROMISE.search(line).group(0)}"


def main(root):
    paths = files(root)
    faults = list(folders_without_readme(paths))
    for path in paths:
        source = text(root, path)
        if source is not None:
            faults += faults_in(path, source)
    return report(faults, f"{len(paths)} files are tidy")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
