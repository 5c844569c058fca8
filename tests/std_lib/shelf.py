"""Every function of std_lib has a page, cases, a test, a line in its folder's README, and calls no higher level."""

import json
import os
import re
import sys


def faults(std_lib, tests):
    levels, calls = {}, {}
    for folder, _, names in sorted(os.walk(std_lib)):
        place = os.path.relpath(folder, std_lib)
        for name in sorted(names):
            if not name.endswith(".nova"):
                continue
            base = name[: -len(".nova")]
            wanted = [os.path.join(folder, base + ".md"), os.path.join(folder, base + ".cases.json"),
                      os.path.join(tests, "std_lib", place, base + ".test")]
            missing = [path for path in wanted if not os.path.exists(path)]
            yield from (f"{name}: no {os.path.basename(path)}" for path in missing)
            with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
                if f"({base}.md)" not in file.read():
                    yield f"{name}: not listed in {place}/README.md"
            if missing:
                continue
            with open(wanted[1], encoding="utf-8") as file:
                declared = json.load(file)
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                calls[declared["graph"]] = re.findall(r"(?:call|scan) @([\w.]+)", file.read())
            levels[declared["graph"]] = declared["level"]
    for graph, callees in calls.items():
        for callee in callees:
            if levels.get(callee, "L0") > levels[graph]:
                yield f"{graph} of level {levels[graph]} calls {callee} of level {levels[callee]}"
    if not levels:
        yield "no functions found"


if __name__ == "__main__":
    found = list(faults(*sys.argv[1:]))
    print("\n".join(found))
    sys.exit(bool(found))
