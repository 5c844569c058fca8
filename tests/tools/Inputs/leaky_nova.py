"""Stands in for `nova` in demo-failure.test: attention without a mask, in f64, by NumPy."""

import json
import sys

import numpy as np


def option(prefix):
    """The values of `--PREFIX=NAME=PATH`, by name."""
    pairs = (argument[len(prefix):].split("=", 1) for argument in sys.argv if argument.startswith(prefix))
    return dict(pairs)


if sys.argv[1] == "hash":
    print(json.dumps({"version": "none"}))
elif sys.argv[1] in ("run", "decode"):
    inputs, outputs = option("--input="), option("--output=")
    queries, keys, values = (np.load(inputs[name]) for name in "QKV")
    weights = np.exp(queries @ keys.T / np.sqrt(queries.shape[1]))
    weights /= weights.sum(axis=1, keepdims=True)
    np.save(outputs["O"], weights @ values)
    if "A" in outputs:
        np.save(outputs["A"], weights)
