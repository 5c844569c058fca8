"""B11: what broadcasting may conclude, and what the entry check must."""

import numpy as np
from case import ATTENTION, attention, close, main, same_bits


def signature(clause):
    return f"graph @f(%S: f64[n, n], %b: f64[p, n]) -> f64[n, n]{clause} {{\n  %O = add %S, %b\n  return %O\n}}\n"


def extent_that_may_be_anything_is_refused(nova):
    inputs = {"S": np.zeros((2, 2)), "b": np.array([[5.0, 7]])}
    nova.refused(nova.file(signature("")), inputs, "%S: f64[n, n]", "%b: f64[p, n]", "axis 0 is n", "and p")


def extent_known_to_be_one_broadcasts(nova):
    graph = nova.file(signature(" where p == 1"))
    same_bits(nova.run(graph, {"S": np.zeros((2, 2)), "b": np.array([[5.0, 7]])})["O"], [[5, 7], [5, 7]], "sum")
    nova.refused(graph, {"S": np.zeros((2, 2)), "b": np.array([[5.0, 7], [5, 7]])}, "p == 1")


def symbol_is_checked_on_entry(nova):
    inputs = {"Q": np.ones((3, 2)), "K": np.ones((2, 2)), "V": np.ones((3, 2))}
    nova.refused(ATTENTION, inputs, "n", "Q", "K", "3", "2")


def one_row_then_five(nova):
    random = np.random.default_rng(11)
    for n in (1, 5, 1, 4):
        q, k, v = (random.standard_normal((n, 3)) for _ in range(3))
        close(nova.run(ATTENTION, {"Q": q, "K": k, "V": v})["O"], attention(q, k, v), f"n = {n}")


main(extent_that_may_be_anything_is_refused, extent_known_to_be_one_broadcasts, symbol_is_checked_on_entry,
     one_row_then_five)
