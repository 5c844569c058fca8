"""B10: axes of size 0."""

import numpy as np
from case import ATTENTION, ATTENTION_DV, main, same_bits


def contraction_over_nothing(nova):
    graph = nova.file("graph @f(%A: f64[n, k], %B: f64[k, m], %C: f64[n, m]) -> (f64[n, m], f64[n, m]) {\n"
                      "  %fill = constant 7.0\n  %sevens = add %C, %fill\n  %more = multiply %sevens, %sevens\n"
                      "  %R = add %more, %C\n  %O = matmul %A, %B\n  return %O, %R\n}\n")
    for _ in range(3):
        got = nova.run(graph, {"A": np.zeros((4, 0)), "B": np.zeros((0, 4)), "C": np.zeros((4, 4))}, ["O", "R"])
        same_bits(got["O"], np.zeros((4, 4)), "contraction")
        same_bits(got["R"], np.full((4, 4), 49.0), "beside it")


def attention_without_rows(nova):
    empty = {name: np.zeros((0, 3)) for name in "QKV"}
    same_bits(nova.run(ATTENTION, empty)["O"], np.zeros((0, 3)), "n = 0")
    same_bits(nova.decode(ATTENTION, empty)["O"], np.zeros((0, 3)), "n = 0 decoded")
    wide = {"Q": np.ones((3, 2)), "K": np.ones((3, 2)), "V": np.zeros((3, 0))}
    same_bits(nova.run(ATTENTION_DV, wide)["O"], np.zeros((3, 0)), "values of width 0")


def reductions_over_nothing(nova):
    ops = (("sum", 0.0), ("max", -np.inf), ("min", np.inf))
    lines = [f"  %{op}{axis} = reduce_{op} %X, {axis}" for op, _ in ops for axis in (0, 1)]
    types = [f"f64[{'1, b' if axis == 0 else 'a, 1'}]" for _ in ops for axis in (0, 1)]
    names = [f"{op}{axis}" for op, _ in ops for axis in (0, 1)]
    body = "\n".join(lines) + "\n  return " + ", ".join("%" + n for n in names)
    graph = nova.file(f"graph @f(%X: f64[a, b]) -> ({', '.join(types)}) {{\n{body}\n}}\n")
    for shape in ((3, 0), (0, 3), (0, 0)):
        got = nova.run(graph, {"X": np.zeros(shape)}, names)
        for op, neutral in ops:
            over = [neutral if shape[axis] == 0 else 0.0 for axis in (0, 1)]
            same_bits(got[f"{op}0"], np.full((1, shape[1]), over[0]), f"{op} over axis 0 of {shape}")
            same_bits(got[f"{op}1"], np.full((shape[0], 1), over[1]), f"{op} over axis 1 of {shape}")


def width_zero_is_refused(nova):
    nova.refused(ATTENTION, {name: np.zeros((2, 0)) for name in "QKV"}, "d >= 1", "d = 0")


def first_step_of_an_empty_cache(nova):
    v = np.array([[0.1, -3.5, 1e-310]])
    got = nova.decode(ATTENTION, {"Q": np.array([[1.0, 2, 3]]), "K": np.array([[-4.0, 5, 6]]), "V": v})["O"]
    same_bits(got, v, "first step")


main(contraction_over_nothing, attention_without_rows, reductions_over_nothing, width_zero_is_refused,
     first_step_of_an_empty_cache)
