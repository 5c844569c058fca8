"""B09: reduce_max and reduce_min of rows with one NaN, as constants of the graph and as inputs."""

import numpy as np
from case import main, same_bits

LENGTHS = (1, 2, 3, 4, 5, 8, 9, 16, 17, 33)


def literal(rows):
    # Python writes nan, inf and -inf as graphs do.
    return "[" + ", ".join("[" + ", ".join(repr(float(v)) for v in row) + "]" for row in rows) + "]"


def both_ways(nova, matrices, type_name, dtype):
    """reduce_max and reduce_min over both axes of each matrix, as a constant (c0, ...) and as an input (x0, ...)."""
    lines, results, types = [], [], []
    for i, m in enumerate(matrices):
        lines.append(f"  %c{i} = constant {literal(m)} : {type_name}[{m.shape[0]}, {m.shape[1]}]")
        for source in (f"c{i}", f"x{i}"):
            for op in ("max", "min"):
                for axis in (0, 1):
                    lines.append(f"  %{source}_{op}{axis} = reduce_{op} %{source}, {axis} drop")
                    results.append(f"{source}_{op}{axis}")
                    types.append(f"{type_name}[{m.shape[1 - axis]}]")
    arguments = ", ".join(f"%x{i}: {type_name}[{m.shape[0]}, {m.shape[1]}]" for i, m in enumerate(matrices))
    body = "\n".join(lines) + "\n  return " + ", ".join("%" + r for r in results)
    graph = nova.file(f"graph @f({arguments}) -> ({', '.join(types)}) {{\n{body}\n}}\n")
    return nova.run(graph, {f"x{i}": m.astype(dtype) for i, m in enumerate(matrices)}, results)


def nan_at_every_position(nova):
    for type_name, dtype in (("f64", np.float64), ("f32", np.float32)):
        # Row p, and column p, has a NaN at position p.
        matrices = [np.where(np.eye(n, dtype=bool), np.nan, 1.0) for n in LENGTHS]
        for name, got in both_ways(nova, matrices, type_name, dtype).items():
            same_bits(got, np.full(got.shape, np.nan), f"{name} in {type_name}")


def zeros_of_both_signs_and_infinities(nova):
    rows = np.array([[-0.0, 0.0], [0.0, -0.0], [-np.inf, -np.inf], [np.inf, np.inf], [-0.0, -0.0]])
    got = both_ways(nova, [rows], "f64", np.float64)
    for source in ("c0", "x0"):
        same_bits(got[f"{source}_max1"], [0.0, 0.0, -np.inf, np.inf, -0.0], f"maxima of {source}")
        same_bits(got[f"{source}_min1"], [-0.0, -0.0, -np.inf, np.inf, -0.0], f"minima of {source}")


main(nan_at_every_position, zeros_of_both_signs_and_infinities)
