"""usage: fmt_keeps.py NOVA FOLDER...: every graph file there, and those inside .test files, keeps hashes and comments."""

import json
import os
import re
import subprocess
import sys
import tempfile


def graph_files(folders):
    """(where, text) of every graph file below the folders."""
    for folder in folders:
        for place, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(place, name)
                if not name.endswith((".nova", ".test")):
                    continue
                with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                    text = file.read()
                if name.endswith(".nova"):
                    yield path, text
                else:
                    parts = re.split(r"^//--- (\S+)\n", text, flags=re.MULTILINE)
                    for section, content in zip(parts[1::2], parts[2::2]):
                        if section.endswith(".nova"):
                            yield f"{path}:{section}", content


def comments(text):
    return [line.rstrip() for line in re.findall(r"//[^\r\n]*", text)]


def hashes(nova, path):
    done = subprocess.run([nova, "compile", "--emit=stored", path], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def main(nova, folders):
    kept = 0
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "f.nova")
        for where, text in graph_files(folders):
            with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
                file.write(text)
            before = hashes(nova, path)
            if before is None:
                continue  # a file that is wrong
            done = subprocess.run([nova, "fmt", "-w", path], capture_output=True, check=False)
            assert done.returncode == 0, (where, done.stderr)
            with open(path, encoding="utf-8", newline="") as file:
                after = file.read()
            assert hashes(nova, path) == before, where
            assert comments(after) == comments(text), where
            again = subprocess.run([nova, "fmt", "--check", "--json", path], capture_output=True, check=False)
            assert again.returncode == 0 and not json.loads(again.stdout)["files"][0]["changed"], (where, after)
            kept += 1
    assert kept > 30, kept
    print(f"{kept} files keep their hashes and comments")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
