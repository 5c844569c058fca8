"""Runs of graphs that must fail, with the same words on every backend and for any number of threads.

A script calls fails() for each graph and exits by itself at the first difference.
"""

import os
import subprocess

import numpy as np


def fails(graph, inputs, expected, chunks=(), options=()):
    """`graph` is a file; `inputs` arrays by name; `chunks` are the pieces in which `decode` must fail alike."""
    np.savez("inputs.npz", **inputs)
    common = [graph, "--input", "inputs.npz", "--output", "results.npz", *options]
    commands = [["run", *common, "--backend", "interpreter"]]
    commands += [["run", *common, "--threads", str(threads)] for threads in (1, 2, 7)]
    for pieces in chunks:
        for backend in ("interpreter", "compiled"):
            commands.append(["decode", *common, "--chunks", pieces, "--backend", backend])
    for command in commands:
        done = subprocess.run(["nova", *command], capture_output=True, text=True)
        found = (done.returncode, done.stdout, done.stderr)
        if found != (2, "", f"error: {expected}\n") or os.path.exists("results.npz"):
            raise SystemExit(f"nova {' '.join(command)}\nexpected error: {expected}\nfound    {found}")
