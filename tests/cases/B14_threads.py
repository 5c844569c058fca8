"""B14: values that cancel, so that every other order of the sum shows. Weights are all 1/1024."""

import numpy as np
from case import ATTENTION, ATTENTION_DV, Nova, main, same_bits

N = 1024
VALUES = np.tile([1e16, 1, -1e16, 1], N // 4).reshape(-1, 1)
INPUTS = {"Q": np.zeros((N, 1)), "K": np.zeros((N, 1)), "V": VALUES}


def one_pattern_for_all_threads(nova):
    want = Nova("interpreter").run(ATTENTION, INPUTS)["O"]
    threads = (1, 2, 3, 4, 7, 16) if nova.backend == "compiled" else (1,)
    for count in threads:
        for _ in range(2):
            same_bits(nova.run(ATTENTION, INPUTS, threads=count)["O"], want, f"{count} threads")


def decode_is_the_last_row_of_prefill(nova):
    want = nova.run(ATTENTION, INPUTS)["O"]
    for chunks, threads in (("1023,1", 2), ("512", 3), ("1000,1", 1)):
        got = nova.decode(ATTENTION, INPUTS, chunks=chunks, threads=threads)["O"]
        same_bits(got, want, f"chunks {chunks}, {threads} threads")


def a_row_alone_and_among_others(nova):
    random = np.random.default_rng(14)
    inputs = {name: random.standard_normal((300, 5)) * 10 for name in "QKV"}
    alone = nova.run(ATTENTION, inputs, threads=1)["O"]
    wide = {**inputs, "V": np.concatenate([inputs["V"]] * 8, axis=1)}
    among = nova.run(ATTENTION_DV, wide, threads=4)["O"]
    same_bits(among, np.concatenate([alone] * 8, axis=1), "eight value columns of each")


main(one_pattern_for_all_threads, decode_is_the_last_row_of_prefill, a_row_alone_and_among_others)
