"""Exit codes of `nova`. usage: exit_codes.py NOVA GRAPH FOLDER"""

import os
import subprocess
import sys

OK, BAD_INPUT, ENVIRONMENT = 0, 2, 3


def main(nova, graph, folder):
    os.makedirs(folder, exist_ok=True)
    run = ["run", graph, "--backend", "interpreter"]
    small = ["--random", "n:3,d:2"]
    cases = [
        (OK, ["--help"]),
        (OK, ["--version"]),
        (OK, ["check", graph]),
        (OK, ["check", "--help"]),
        (OK, [*run, *small]),
        (BAD_INPUT, []),
        (BAD_INPUT, ["frob"]),
        (BAD_INPUT, ["check"]),
        (BAD_INPUT, ["check", "--frob", graph]),
        (BAD_INPUT, ["check", os.path.join(folder, "none.nova")]),
        (BAD_INPUT, ["check", folder]),
        (BAD_INPUT, ["check", graph, "--entry", "none"]),
        (BAD_INPUT, [*run]),
        (BAD_INPUT, [*run, "--random", "n:3,d:0"]),
        (BAD_INPUT, [*run, *small, "--output", f"O={folder}"]),
        (BAD_INPUT, ["check", graph, "--picture", folder]),
        (BAD_INPUT, ["check", graph, "--sizes", "n:4"]),
        (ENVIRONMENT, ["check", graph, "--picture", "/dev/full"]),
        (ENVIRONMENT, [*run, *small, "--output", "O=/dev/full"]),
        (ENVIRONMENT, [*run, "--random", "n:1000000000,d:1000000"]),
    ]
    faults = []
    for want, arguments in cases:
        done = subprocess.run([nova, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL)
        silent = want != OK and not done.stderr
        if done.returncode != want or silent:
            faults.append(f"nova {' '.join(arguments)}: expected {want}, found {done.returncode}, said {done.stderr!r}")
    print("\n".join(faults) or "all as documented")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
