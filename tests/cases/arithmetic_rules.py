"""The canonical arithmetic of docs/arithmetic.md worked out here in exact fractions: results must be these bits."""

from fractions import Fraction

import numpy as np
from case import main, same_bits

SIZES = ((3, 5, 2), (2, 17, 3), (1, 300, 2), (2, 513, 1), (7, 16, 17), (1, 1, 1))
TYPES = (("f64", np.float64), ("f32", np.float32))
GRAPH = """graph @f<T: float = f64>(%A: T[n, k], %B: T[k, m])
    -> (T[n, m], T[n, 1], T[n, k], T[n, k], T[n, k], T[n, k], T[n, k]) {
  %product = matmul %A, %B
  %sum = reduce_sum %A, 1
  %two = add %A, %A
  %tenth = constant 0.1
  %scaled = multiply %two, %tenth
  %shifted = subtract %A, %tenth
  %square = multiply %A, %A
  %root = sqrt %square
  %quotient = divide %A, %sum
  return %product, %sum, %scaled, %shifted, %square, %root, %quotient
}
"""


def rounded(value, dtype):
    """A fraction rounded once, to nearest even."""
    if dtype == np.float64:
        return float(value)
    # Python rounds fractions to f64 only; the nearest f32 is found among three neighbours, exactly.
    guess = np.float32(float(value))
    neighbours = (np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf)))
    return float(min(neighbours, key=lambda x: (abs(Fraction(float(x)) - value), int(x.view(np.uint32)) & 1)))


def fma(a, b, c, dtype):
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return a * b + c if exact == 0 else rounded(exact, dtype)  # zeros add up by their signs


def contraction(a, b, dtype):
    """Rule 2: chunks of 256 from +0 by fma, each added to a total from +0."""
    out = np.zeros((a.shape[0], b.shape[1]), dtype)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = dtype(0)
            for start in range(0, a.shape[1], 256):
                acc = 0.0
                for k in range(start, min(start + 256, a.shape[1])):
                    acc = fma(float(a[i, k]), float(b[k, j]), acc, dtype)
                total = dtype(total + dtype(acc))
            out[i, j] = total
    return out


def row_sums(a, dtype):
    """Rule 3: chunks of 256, in each 16 lanes by position, lanes folded by halves, chunks added in order."""
    out = np.zeros((a.shape[0], 1), dtype)
    for i, row in enumerate(a):
        total = dtype(0)
        for start in range(0, len(row), 256):
            lanes = np.zeros(16, dtype)
            for position, value in enumerate(row[start : start + 256]):
                lanes[position % 16] = lanes[position % 16] + value
            for half in (8, 4, 2, 1):
                lanes[:half] = lanes[:half] + lanes[half : 2 * half]
            total = dtype(total + lanes[0])
        out[i, 0] = total
    return out


def rules_two_and_three(nova):
    graph, names = nova.file(GRAPH), ["product", "sum", "scaled", "shifted", "square", "root", "quotient"]
    random = np.random.default_rng(23)
    for (n, k, m), (name, dtype) in zip(SIZES, TYPES * 3):
        scale = 2.0 ** random.integers(-20, 20, (n, k))
        a = (random.standard_normal((n, k)) * scale).astype(dtype)
        b = random.standard_normal((k, m)).astype(dtype)
        got = nova.run(graph, {"A": a, "B": b}, names, type=f"T={name}")
        sums, what = row_sums(a, dtype), f"n {n}, k {k}, m {m}, {name}"
        same_bits(got["product"], contraction(a, b, dtype), f"matmul, {what}")
        same_bits(got["sum"], sums, f"reduce_sum, {what}")
        same_bits(got["scaled"], (a + a) * dtype(0.1), f"add, multiply, {what}")
        same_bits(got["shifted"], a - dtype(0.1), f"subtract, {what}")
        same_bits(got["square"], a * a, f"square, {what}")
        same_bits(got["root"], np.sqrt(a * a), f"sqrt, {what}")
        same_bits(got["quotient"], a / sums, f"divide, {what}")


main(rules_two_and_three)
