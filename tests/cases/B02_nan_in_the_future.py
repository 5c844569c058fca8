"""B02: what a row may not see cannot reach it, NaN and infinity included."""

import numpy as np
from case import ATTENTION, close, main, same_bits

Q = np.array([[1.0, 0], [0, 1], [1, 1]])
K = np.array([[1.0, 0], [0, 1], [np.nan, 0]])
V = np.array([[1.0, 10], [2, 20], [3, 30]])
CLEAN_K = np.array([[1.0, 0], [0, 1], [0.5, 0]])
SECOND = [1.6697615493266569, 16.697615493266568]


def nan_in_a_key(nova):
    got = nova.run(ATTENTION, {"Q": Q, "K": K, "V": V}, probes=["A"])
    same_bits(got["O"][0], [1, 10], "row 0")
    close(got["O"][1], SECOND, "row 1")
    close(got["A"][1], [0.3302384506733431, 0.6697615493266569, 0], "weights of row 1")
    same_bits(got["A"][0, 1:], [0, 0], "hidden weights of row 0")
    same_bits(got["A"][1, 2:], [0], "hidden weight of row 1")
    same_bits(got["O"][2], [np.nan, np.nan], "row 2, which sees the NaN")


def nan_and_infinity_in_values(nova):
    k, v = K.copy(), V.copy()
    k[2], v[2] = (0, 0), (np.nan, np.inf)
    got = nova.run(ATTENTION, {"Q": Q, "K": k, "V": v})["O"]
    same_bits(got[0], [1, 10], "row 0")
    close(got[1], SECOND, "row 1")
    same_bits(got[2], [np.nan, np.inf], "row 2, which sees both")


def decode_and_clean_run(nova):
    clean = nova.run(ATTENTION, {"Q": Q, "K": CLEAN_K, "V": V})["O"]
    for dirty_k, dirty_v in ((np.nan, 3.0), (np.inf, np.nan), (-np.inf, -np.inf), (1e308, np.inf)):
        k, v = CLEAN_K.copy(), V.copy()
        k[2], v[2] = dirty_k, dirty_v
        inputs = {"Q": Q, "K": k, "V": v}
        prefill = nova.run(ATTENTION, inputs)["O"]
        steps = nova.decode(ATTENTION, inputs)["O"]
        same_bits(prefill[:2], clean[:2], f"prefill before K = {dirty_k}, V = {dirty_v}")
        same_bits(steps, prefill, f"decode with K = {dirty_k}, V = {dirty_v}")


def f32_too(nova):
    inputs = {"Q": Q.astype(np.float32), "K": K.astype(np.float32), "V": V.astype(np.float32)}
    got = nova.run(ATTENTION, inputs, type="T=f32")["O"]
    same_bits(got[0], [1, 10], "row 0")
    close(got[1], SECOND, "row 1")
    same_bits(got[2], [np.nan, np.nan], "row 2")


main(nan_in_a_key, nan_and_infinity_in_values, decode_and_clean_run, f32_too)
