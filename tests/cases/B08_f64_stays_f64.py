"""B08: with one row, attention returns its value. Through f32 these come out as 1000000000, 1, inf, 0."""

import numpy as np
from case import ATTENTION, column, main, same_bits

VALUES = (1000000000.5, 1 + 2.0**-40, 1e300, 5e-324, 1.7976931348623157e308, 2.0**-1022, -0.1)


def first_row_is_the_first_value(nova):
    for value in VALUES:
        inputs = {"Q": column(0.3), "K": column(-0.7), "V": column(value)}
        same_bits(nova.run(ATTENTION, inputs)["O"], column(value), f"V = {value}")
    # In value: totals start at +0.
    same_bits(nova.run(ATTENTION, {"Q": column(1), "K": column(1), "V": column(-0.0)})["O"], column(0.0), "V = -0.0")


def means_of_huge_values(nova):
    inputs = {"Q": np.ones((2, 1)), "K": np.zeros((2, 1)), "V": column(1e300, 1e300)}
    same_bits(nova.run(ATTENTION, inputs)["O"], column(1e300, 1e300), "two rows")


def layout_keeps_bits(nova):
    graph = nova.file("graph @t(%X: f64[a, b]) -> f64[b, a] {\n  %O = transpose %X\n  return %O\n}\n")
    x = np.array([[*VALUES[:3]], [*VALUES[3:6]], [-0.0, np.inf, -np.inf]])
    same_bits(nova.run(graph, {"X": x})["O"], x.T, "transpose")


def with_and_without_onednn(nova):
    rows, columns = np.arange(96, dtype=np.float64).reshape(-1, 1), np.arange(4)
    inputs = {"Q": np.sin(rows + columns), "K": np.cos(rows * (columns + 1)), "V": 1e9 + rows * 2.0**-20 + columns}
    on, off = (nova.run(ATTENTION, inputs, onednn=word)["O"] for word in ("on", "off"))
    same_bits(on, off, "oneDNN on and off")


main(first_row_is_the_first_value, means_of_huge_values, layout_keeps_bits, with_and_without_onednn)
