"""B03: scores below -65504, -10000 or any other stand-in for minus infinity."""

import numpy as np
from case import ATTENTION, close, column, main, same_bits

TYPES = (("f64", np.float64), ("f32", np.float32))


def columns(dtype, **values):
    return {name: column(*value, dtype=dtype) for name, value in values.items()}


def all_scores_far_below(nova):
    for name, dtype in TYPES:
        inputs = columns(dtype, Q=(1, 1, 1), K=(-70000, -70001, 0), V=(4, 8, 16))
        got = nova.run(ATTENTION, inputs, probes=["A"], type=f"T={name}")
        same_bits(got["O"][0], [4], f"row 0 in {name}")
        close(got["O"], column(4, 5.075765685479981, 16), f"rows in {name}")
        weight = 1 / (1 + np.e)
        close(got["A"][1], [np.e * weight, weight, 0], f"weights of row 1 in {name}")
        same_bits(got["A"][np.triu_indices(3, 1)], [0, 0, 0], f"hidden weights in {name}")
        same_bits(nova.decode(ATTENTION, inputs, type=f"T={name}")["O"], got["O"], f"decode in {name}")


def hidden_key_would_win_over_a_stand_in(nova):
    for name, dtype in TYPES:
        inputs = columns(dtype, Q=(-20000, 0), K=(1, 0), V=(1, 100))
        got = nova.run(ATTENTION, inputs, type=f"T={name}")["O"]
        close(got, column(1, 50.5), f"rows in {name}")
        same_bits(got[0], [1], f"row 0 in {name}")
        same_bits(nova.decode(ATTENTION, inputs, type=f"T={name}")["O"], got, f"decode in {name}")


def first_row_is_the_first_value_at_any_magnitude(nova):
    for score in (0.0, 1e-300, -1e5, -1e30, 1e150, -1e308, 1e308):
        inputs = {"Q": column(score, 1), "K": column(1, 1), "V": column(0.1, 7)}
        same_bits(nova.run(ATTENTION, inputs)["O"][0], [0.1], f"row 0 with score {score}")


main(all_scores_far_below, hidden_key_would_win_over_a_stand_in, first_row_is_the_first_value_at_any_magnitude)
