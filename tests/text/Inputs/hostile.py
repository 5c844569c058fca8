"""Feeds `nova check` with hostile texts. usage: hostile.py NOVA FOLDER

Each case is (name, bytes of the file, what the message must contain). A crash has a negative exit code or one above 2.
Then a fixed number of random edits of a good file: any of them may be right or wrong, none may crash.
"""

import os
import random
import subprocess
import sys

HEAD = b"graph @f(%x: f64[n]) -> f64[n] {\n"
GOOD = b"""/// A comment.
graph @g<T: float = f64>(%Q: T[n, d], %k: i64[n, 1]) -> (T[n, d], i64[n, 1]) where d >= 1, n < 9 * d + 1 {
  %c = constant [[1.0, -2.5e3], [inf, nan]] : f64[2, 2]
  %KT = transpose %Q, [1, 0]
  %S = matmul %Q, %KT
  %r = iota 0 : [n, 1]
  %q = greater %r, %k
  %w = where %q, %Q, %Q
  %m = reduce_max %w, 1 drop
  %s = size %Q, 1
  %h = multiply %s, %s
  %y = call @h(%Q) : T[n, d]
  return %y, %k
}
graph @h<T: float = f64>(%x: T[n, d]) -> T[n, d] {
  %z = constant 0.5
  %y = divide %x, %z
  return %y
}
"""


def deep(text):
    return [
        ("parentheses", text + b"(" * 100_000, b"brackets are nested deeper than 256"),
        ("brackets", text + b"[" * 100_000, b"brackets are nested deeper than 256"),
        ("braces", text + b"{" * 100_000, b"brackets are nested deeper than 256"),
        ("mixed", text + b"([{" * 100_000, b"brackets are nested deeper than 256"),
        ("graphs", text + HEAD * 100_000, b"brackets are nested deeper than 256"),
    ]


def calls(count, times):
    """Graphs that call the one before, some times in a row."""
    graph = "graph @f{0}(%x: f64[n]) -> f64[n] {{\n{1}  return %y{2}\n}}\n"
    texts = ["graph @f0(%x: f64[n]) -> f64[n] {\n  %y = exp %x\n  return %y\n}\n"]
    for number in range(1, count):
        lines = [f"  %y{i + 1} = call @f{number - 1}(%{'y' + str(i) if i else 'x'}) : f64[n]\n" for i in range(times)]
        texts.append(graph.format(number, "".join(lines), times))
    return "".join(texts).encode()


SUM = " + ".join(f"a{i}" for i in range(3000)).encode()

CASES = deep(HEAD) + [
    ("many axes", b"graph @f(%x: f64[" + b", ".join([b"n"] * 17) + b"]) -> f64[n] {", b"a tensor has at most 16 axes"),
    ("long sum", b"graph @f(%x: f64[" + SUM + b"]) -> f64[a0] {", b"dimension has more than 128 terms"),
    ("chain of calls", calls(30_000, 1), b"calls nest deeper than 256 here: @f256 has 256 levels below it"),
    ("doubling calls", calls(31, 2), b"@f18 has more than 1048576 operations with its calls inlined; @f17 alone has 655357"),
    ("only brackets", b"(" * 100_000, b"expected graph, found '('"),
    ("angles", b"graph @f(%x: " + b"tuple<" * 100_000, b"brackets are nested deeper than 256"),
    ("angles in a body", HEAD + b"%y = exp %x : " + b"tuple<\n" * 100_000, b"brackets are nested deeper than 256"),
    ("minus signs", HEAD + b"%y = constant " + b"- " * 100_000 + b"1.0", b"error: "),
    ("stars", b"graph @f(%x: f64[" + b"n * " * 100_000 + b"n]) -> f64[n] {", b"error: "),
    ("nul", b"graph @f\0", b"unexpected character 0x00"),
    ("not utf-8", b"graph @f\xff", b"expected UTF-8 text, found the byte 0xff"),
    ("byte order mark", b"\xef\xbb\xbf" + GOOD, b"unexpected byte order mark"),
    ("binary", bytes(range(256)) * 64, b"error: "),
    ("long name", b"graph @" + b"f" * 1_000_000, b"error: "),
    ("long line", HEAD + b" " * 1_000_000 + b"?", b"unexpected character '?'"),
]


def check(nova, path, text):
    with open(path, "wb") as file:
        file.write(text)
    return subprocess.run([nova, "check", path], capture_output=True, check=False, timeout=60)


def main(nova, folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "hostile.nova")
    faults = []
    for name, text, message in CASES:
        done = check(nova, path, text)
        if done.returncode != 2 or message not in done.stderr:
            faults.append(f"{name}: exit code {done.returncode}, said {done.stderr[:300]!r}")
    for newline in (b"\n", b"\r\n", b"\r"):
        done = check(nova, path, GOOD.replace(b"\n", newline))
        if done.returncode != 0:
            faults.append(f"the good text with {newline!r} is refused: {done.stderr!r}")
    generator = random.Random(7)
    pieces = [b"(", b"]", b"%", b"@h", b"-", b"1.0e999", b"<", b"*", b"where", b"graph", b"99999999999999999999", b"\n", b" : ", b"^"]
    for number in range(100):
        text = bytearray(GOOD)
        for _ in range(generator.randint(1, 3)):
            at = generator.randrange(len(text))
            text[at : at + generator.choice((0, 1, 1, 5))] = generator.choice(pieces + [b""])
        done = check(nova, path, bytes(text))
        if done.returncode not in (0, 2) or (done.returncode == 2) != (b"error: " in done.stderr):
            faults.append(f"edit {number}: exit code {done.returncode}, said {done.stderr[:300]!r}, text {bytes(text)!r}")
    print("\n".join(faults) or "all refused in words")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
