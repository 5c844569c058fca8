"""Attention of many sizes against its definition in NumPy; decode in random chunks against prefill, bit for bit."""

import numpy as np
from case import ATTENTION, ATTENTION_DV, attention, close, main, same_bits

SIZES = ((1, 1, 1), (2, 3, 1), (5, 2, 7), (6, 16, 15), (7, 17, 16), (17, 1, 48), (48, 6, 6), (65, 5, 17), (97, 16, 2),
         (255, 2, 1), (256, 3, 5), (257, 4, 4))
TYPES = (("f64", np.float64), ("f32", np.float32))


def random_chunks(random, n):
    parts = []
    while sum(parts) < n:
        parts.append(int(random.integers(1, max(2, n // 2))))
    return ",".join(map(str, parts))


def sizes_of_every_kind(nova):
    random = np.random.default_rng(3)
    for i, (n, d, dv) in enumerate(SIZES):
        name, dtype = TYPES[i % 2]
        shapes = {"Q": (n, d), "K": (n, d), "V": (n, dv)}
        inputs = {key: random.standard_normal(shape).astype(dtype) for key, shape in shapes.items()}
        graph, what = ATTENTION if d == dv else ATTENTION_DV, f"n {n}, d {d}, dv {dv}, {name}"
        got = nova.run(graph, inputs, type=f"T={name}")["O"]
        close(got, attention(**{key.lower(): value for key, value in inputs.items()}), what)
        chunks = random_chunks(random, n)
        same_bits(nova.decode(graph, inputs, type=f"T={name}", chunks=chunks)["O"], got, f"{what} in chunks {chunks}")


def weights(nova):
    random = np.random.default_rng(4)
    inputs = {name: random.standard_normal((40, 8)) for name in "QKV"}
    a = nova.run(ATTENTION, inputs, probes=["A"])["A"]
    same_bits(a[np.triu_indices(40, 1)], np.zeros(780), "weights above the diagonal")
    close(a.sum(axis=1), np.ones(40), "sums of rows")


main(sizes_of_every_kind, weights)
