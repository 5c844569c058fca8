"""Causal attention on six words, shown as a user would run it: every step is a command of `nova` that is printed.

usage: demo.py BUILD_FOLDER    Exit codes: 0 all laws hold, 1 one does not, else the code of the command that failed.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np

import figure
import laws

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
GRAPH = "std_lib/nn/causal_attention.nova"
DATA = "examples/six_tokens"


class Demo:
    """Runs commands in the repository root and keeps what they wrote in <build>/demo."""

    def __init__(self, build):
        self.nova = os.path.relpath(os.path.join(build, "bin", "nova"), ROOT)
        self.output = os.path.relpath(os.path.join(build, "demo"), ROOT)
        os.makedirs(os.path.join(ROOT, self.output), exist_ok=True)

    def command(self, *arguments, show=True):
        """Prints and runs `nova ARGUMENTS`; returns (standard output, seconds). Leaves with its code if it fails."""
        line = [self.nova, *arguments]
        print("\n$ " + wrapped(line), flush=True)
        start = time.perf_counter()
        done = subprocess.run(line, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        seconds = time.perf_counter() - start
        if show and done.stdout:
            print(done.stdout.rstrip())
        if done.returncode != 0:
            print(f"\nthe command failed with exit code {done.returncode}", file=sys.stderr)
            sys.exit(done.returncode)
        return done.stdout, seconds

    def path(self, name):
        return f"{self.output}/{name}"

    def load(self, name):
        return np.load(os.path.join(ROOT, self.path(name)))

    def run(self, verb, result, *options):
        """`nova run` or `nova decode` on the six words; returns (its result, seconds)."""
        inputs = [f"--input={name}={DATA}/{name}.npy" for name in "QKV"]
        _, seconds = self.command(verb, GRAPH, *inputs, f"--output=O={self.path(result)}", "--threads=2", *options)
        return self.load(result), seconds


def wrapped(words, width=112):
    """A command over several lines, as a shell takes it."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) + 1 > width:
            lines.append("   ")
        lines[-1] += (" " if lines[-1] else "") + word
    return " \\\n".join(lines)


def heading(title):
    print(f"\n== {title} " + "=" * max(3, 100 - len(title)), flush=True)


def table(weights, tokens):
    """Prints the weights: query rows downwards, key columns. An exact zero is a bare 0."""
    width = max(map(len, tokens)) + 2
    print("\n" + " " * width + "".join(token.rjust(width) for token in tokens))
    for token, row in zip(tokens, weights):
        print(token.ljust(width) + "".join(("0" if value == 0 else f"{value:.4f}").rjust(width) for value in row))


def show(checks):
    """Prints each law with what was measured; returns whether all hold."""
    print()
    for law in checks:
        print(f"  {'PASS' if law.holds else 'FAIL'}  {law.statement}: {law.measured}")
    return all(law.holds for law in checks)


def same_bits(result, name, other):
    bits = laws.differing_bits(result, other)
    return laws.Law(f"prefill against {name}", f"{bits} of {result.nbytes * 8} bits differ", bits == 0)


def unmasked_weights(arguments):
    """The weights of plain attention on the same Q and K, by NumPy: what the mask removes."""
    queries, keys = arguments["Q"], arguments["K"]
    return laws.softmax_rows(queries @ keys.T / np.sqrt(queries.shape[1]))


def next_commands(nova):
    inputs = " ".join(f"--input={name}={DATA}/{name}.npy" for name in "QKV")
    return [
        (f"{nova} run {GRAPH} --type=T=f32 --random=n:4,d:8 --probe=A", "random arguments, printed"),
        (f"{nova} decode {GRAPH} {inputs} --chunks=1,2,3", "rows in chunks of 1, 2 and 3"),
        (f"{nova} compile {GRAPH} --emit=core", "the core form: masks made explicit"),
        (f"{nova} compile {GRAPH} --emit=plan", "which contraction runs where, and why"),
        (f"{nova} doctor", "what this machine offers"),
        ("tools/test", "all tests"),
    ]


def main(build):
    started = time.perf_counter()
    demo = Demo(build)
    with open(os.path.join(ROOT, DATA, "tokens.txt"), encoding="utf-8") as file:
        tokens = file.read().split()
    arguments = {name: np.load(os.path.join(ROOT, DATA, name + ".npy")) for name in "QKV"}

    heading("The graph is checked: shapes for every size, dependence of every value")
    demo.command("check", GRAPH)

    heading("It is compiled: one module for all sizes, kept in the store")
    _, compile_seconds = demo.command("compile", GRAPH, "--probe=A")

    heading(f'It runs on "{" ".join(tokens)}"')
    result, run_seconds = demo.run("run", "O.npy", "--probe=A", f"--output=A={demo.path('A.npy')}")
    weights = demo.load("A.npy")
    table(weights, tokens)

    heading("Three laws")
    hold = show([
        laws.future_weights_are_zero(weights),
        laws.rows_sum_to_one(weights),
        laws.first_row_is_first_value(result, arguments["V"]),
    ])

    heading("The derived decode: one token at a time, from the same definition")
    decoded, decode_seconds = demo.run("decode", "O-decoded.npy")
    hold &= show([same_bits(result, "token-by-token decode", decoded)])

    heading("The interpreter: the same arithmetic, without generated code")
    interpreted, _ = demo.run("run", "O-interpreted.npy", "--backend=interpreter")
    hold &= show([same_bits(result, "the interpreter", interpreted)])

    heading("Identity")
    text, _ = demo.command("hash", GRAPH, "--json", show=False)
    for name, value in json.loads(text).items():
        print(f"  {name}: {value}")

    figure_path = demo.path("weights.svg")
    with open(os.path.join(ROOT, figure_path), "w", encoding="utf-8") as file:
        file.write(figure.weights_figure(unmasked_weights(arguments), weights, tokens))

    heading("Done")
    print(f"  figure: {figure_path} (unmasked beside masked weights)")
    print(f"  time:   compile {compile_seconds:.2f} s, run {run_seconds:.2f} s, decode {decode_seconds:.2f} s, "
          f"all of it {time.perf_counter() - started:.1f} s")
    print("\n  Try next:")
    for command, meaning in next_commands(demo.nova):
        print(f"\n  # {meaning}\n  {wrapped(command.split())}")
    if not hold:
        print("\na law does not hold: see FAIL above", file=sys.stderr)
    return 0 if hold else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
