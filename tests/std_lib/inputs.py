"""The arguments of a case: literal arrays, or numbers drawn from its seed."""

import zlib

import numpy as np
from function import array, evaluate


def sizes_of(function, case):
    """The values of the symbols: those the case names, and those that its literal arrays have."""
    sizes = dict(case.get("sizes", {}))
    for argument in function.arguments:
        given = case.get("arguments", {}).get(argument.name)
        if isinstance(given, list):
            for size, value in zip(argument.sizes, np.shape(given)):
                if size.isidentifier():
                    sizes.setdefault(size, value)
    return sizes


def drawn(argument, how, shape, random, sizes):
    """Numbers of one kind: `normal` times a factor, `integers` from low up to but without high, `coins` that hold with
    a probability, `fill` with one value, or `formula` over the positions i, j and the sizes."""
    kind, value = next(iter(how.items()))
    if kind == "normal":
        return random.standard_normal(shape) * value
    if kind == "integers":
        return random.integers(*value, size=shape)
    if kind == "coins":
        return random.random(shape) < value
    if kind == "fill":
        return np.full(shape, array(value, np.float64))
    if kind == "formula":
        grids = dict(zip("ij", np.indices(shape)))
        return np.broadcast_to(evaluate(value, {**grids, **sizes, "where": np.where, "inf": np.inf}), shape)
    raise AssertionError(f"argument {argument.name}: numbers of the unknown kind {kind!r}")


def inputs_of(function, case, instance):
    """The arguments by name, for T = `instance`: f32 takes the f64 numbers, rounded. What is drawn depends on its
    name and the seed alone."""
    sizes, result = sizes_of(function, case), {}
    for argument in function.arguments:
        given = case.get("arguments", {}).get(argument.name)
        shape, dtype = argument.shape(sizes), argument.dtype(instance)
        if given is None or isinstance(given, dict):
            default = {"normal": 1.0} if argument.is_float() else {"coins": 0.5}
            random = np.random.default_rng([case.get("seed", 1), zlib.crc32(argument.name.encode())])
            value = np.array(drawn(argument, given or default, shape, random, sizes)).astype(dtype)
        else:
            value = array(given, dtype)
        if value.shape != shape:
            raise AssertionError(f"argument {argument.name} has the shape {value.shape}, expected {shape}")
        result[argument.name] = value
    return result
