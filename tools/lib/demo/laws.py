"""The three laws of causal attention, measured on arrays, and the count of differing bits. NumPy only."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class Law:
    """What should hold, what was measured, and whether it holds."""

    statement: str
    measured: str
    holds: bool


def future_weights_are_zero(weights):
    """Every weight above the diagonal is 0, exactly."""
    above = weights[np.triu_indices(len(weights), 1)]
    largest = float(np.max(np.abs(above), initial=0.0))
    return Law("weights above the diagonal are exactly 0", f"largest of {above.size}: {largest!r}", largest == 0.0)


def rows_sum_to_one(weights):
    """Each row's exact sum is 1 up to the roundings that make it: n + 2 half ulps for n entries."""
    sums = [math.fsum(row) for row in weights]
    farthest = float(np.max(np.abs(np.subtract(sums, 1.0)), initial=0.0))
    bound = (weights.shape[1] + 2) * np.finfo(weights.dtype).eps / 2
    return Law("every row of weights sums to 1", f"farthest from 1: {farthest:.3g} (bound {bound:.3g})", farthest <= bound)


def first_row_is_first_value(result, values):
    """The first token sees only itself, so its output is its value. -0 and +0 count as equal."""
    largest = float(np.max(np.abs(result[0] - values[0]), initial=0.0))
    return Law("the first output row equals the first row of V", f"largest difference: {largest!r}", largest == 0.0)


def differing_bits(first, second):
    """How many bits differ between two arrays of the same shape and type."""
    if first.shape != second.shape or first.dtype != second.dtype:
        raise ValueError(f"cannot compare {first.dtype}{first.shape} with {second.dtype}{second.shape}")
    a, b = (np.ascontiguousarray(array).view(np.uint8) for array in (first, second))
    return int(np.unpackbits(a ^ b).sum())


def softmax_rows(scores):
    """Softmax along the last axis, the plain formula."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
