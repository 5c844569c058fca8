"""Runs the commands of the README's tour and compares what they print with what the README shows.

A command is an indented line that begins with `$ `; what follows it, as far as it is indented, is its output.
"""

import os
import subprocess
import sys

INDENT = "    "


def commands(text):
    """Pairs of a command and the lines shown for it."""
    found, inside = [], False
    for line in text.split("\n"):
        if line.startswith(INDENT + "$ "):
            found.append((line[len(INDENT) + 2:], []))
            inside = True
        elif inside and line.startswith(INDENT):
            found[-1][1].append(line[len(INDENT):])
        else:
            inside = False
    return found


def printed(command, root, build):
    """What the command prints, errors included."""
    words = command.split()
    words[0] = words[0].replace("build/", build + "/", 1)
    environment = {**os.environ, "NOVA_STORE": os.path.join(build, "test-store")}
    done = subprocess.run(words, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False)
    return done.stdout.rstrip("\n").split("\n")


def main(root, build):
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        tour = commands(file.read())
    differing = 0
    for command, shown in tour:
        output = printed(command, root, build)
        if [line.rstrip() for line in output] != [line.rstrip() for line in shown]:
            differing += 1
            print(f"$ {command}\nthe README shows:\n" + "\n".join(shown) + "\nthe command prints:\n" + "\n".join(output))
    print(f"{len(tour)} commands, {differing} of them print something else than the README shows")
    return 1 if differing or not tour else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
