"""What a case may demand, one function for each member of its object. See README.md."""

import os
import re

import numpy as np
from case import STD_LIB, close, same_bits
from function import array, evaluate

STEP = 2.0**-12


def near(a, b):
    """Within 1e-12 of b, or 1e-5 for f32, relative to its size or to 1."""
    tolerance = 1e-5 if np.asarray(a).dtype == np.float32 else 1e-12
    return np.abs(a - b) <= tolerance * np.maximum(1, np.abs(b))


def above(matrix):
    """The entries whose column is greater than their row."""
    return matrix[np.triu_indices(matrix.shape[0], 1, matrix.shape[1])]


FORMULA = {"near": near, "above": above, "abs": np.abs, "exp": np.exp, "where": np.where,
           "sum": lambda x: x.sum(axis=1, keepdims=True), "mean": lambda x: x.mean(axis=1, keepdims=True)}


class Check:
    """One case on one element type: its inputs and the results of the run."""

    def __init__(self, function, backends, reference, case, instance, inputs, got):
        self.function, self.backends, self.reference = function, backends, reference
        self.case, self.instance, self.inputs, self.got = case, instance, inputs, got
        self.tolerance = case.get("tolerance", {}).get(instance)
        self.along = case.get("along", function.along)

    def options(self):
        return self.function.options(self.instance)

    def rows(self, name, value):
        """A view of an argument or a result with its rows first."""
        return np.moveaxis(value, self.function.axis(name, self.along), 0)

    def run(self, inputs, backend="compiled"):
        nova = self.backends[backend]
        return nova.run(self.function.path, inputs, self.function.results, **self.options())

    def expected(self, inputs):
        """The reference's results by name, in f64."""
        wide = {name: value.astype(np.float64) if value.dtype.kind == "f" else value for name, value in inputs.items()}
        with np.errstate(all="ignore"):
            results = self.reference(**wide)
        return dict(zip(self.function.results, results if isinstance(results, tuple) else (results,)))

    # The members of a case.

    def expect(self, values):
        for name, value in values.items():
            close(self.got[name], array(value, np.float64), f"result {name}", self.tolerance)

    def bits(self, values):
        for name, value in values.items():
            same_bits(self.got[name], array(value, self.got[name].dtype), f"result {name}")

    def holds(self, formulas):
        for formula in formulas:
            with np.errstate(all="ignore"):
                true = evaluate(formula, {**FORMULA, **self.inputs, **self.got})
            if not np.all(true):
                raise AssertionError(f"{formula} does not hold")

    def same_as(self, graph):
        """Another function of std_lib gives the same bits for the arguments of the same names."""
        for name, value in self._other(graph).items():
            same_bits(self.got[name], value, f"result {name} beside {graph}")

    def near_to(self, graph):
        """The same, up to rounding."""
        for name, value in self._other(graph).items():
            close(self.got[name], value, f"result {name} beside {graph}", self.tolerance)

    def _other(self, graph):
        path = os.path.join(STD_LIB, *graph.split(".")[1:]) + ".nova"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        inputs = {name: value for name, value in self.inputs.items() if f"%{name}:" in text}
        returned = text[text.rindex("return ") :]
        results = [name for name in self.function.results if re.search(rf"%{name}\b", returned)]
        return self.backends["compiled"].run(path, inputs, results, **self.options())

    def unmoved(self, by):
        """Adding these numbers to arguments changes nothing but roundings."""
        moved = {name: value + np.asarray(by.get(name, 0), value.dtype) for name, value in self.inputs.items()}
        for name, value in self.run(moved).items():
            close(value, self.got[name], f"result {name}, arguments moved by {by}", self.tolerance)

    def unread(self, conditions):
        """Where a condition on i and j holds, row i of a result does not read row j of the argument: a NaN there leaves
        its bits, and the law of the gradient holds; where it fails the NaN arrives."""
        self._change_rows(conditions, self._nan)
        self.flat(conditions)

    def flat(self, conditions):
        """The law of the gradient: where a condition holds, the central difference of row i of the results in row j of
        the argument is exactly 0; elsewhere it is the reference's."""
        if self.instance == "f64":
            self._change_rows(conditions, self._difference)

    def _change_rows(self, conditions, change):
        groups = {}
        for name, condition in conditions.items():
            groups.setdefault(condition, []).append(name)
        known = {**self.sizes(), "never": False}
        i = np.arange(len(self.rows(*next(iter(self.got.items())))))
        for condition, names in groups.items():
            for j in self.case.get("at", reversed(range(len(self.rows(names[0], self.inputs[names[0]]))))):
                hidden = np.broadcast_to(np.asarray(evaluate(condition, {**known, "i": i, "j": j}), bool), i.shape)
                change(names, j, hidden)

    def _nan(self, names, j, hidden):
        inputs = {name: value.copy() for name, value in self.inputs.items()}
        for name in names:
            self.rows(name, inputs[name])[j] = np.nan
        what = f"NaN in row {j} of {', '.join(names)}"
        for name, value in self.run(inputs).items():
            after, before = self.rows(name, value), self.rows(name, self.got[name])
            same_bits(after[hidden], before[hidden], f"{what}: rows of {name} that do not read it")
            if not all(np.isnan(row).any() for row in after[~hidden]):
                raise AssertionError(f"{what}: a row of {name} that reads it has no NaN")

    def _difference(self, names, j, hidden):
        random = np.random.default_rng(j)
        direction = {name: random.standard_normal(self.rows(name, self.inputs[name])[j].shape) for name in names}
        sides = []
        for step in (STEP, -STEP):
            inputs = {name: value.copy() for name, value in self.inputs.items()}
            for name in names:
                self.rows(name, inputs[name])[j] += step * direction[name]
            sides.append(inputs)
        after, before = (self.run(inputs) for inputs in sides)
        right_after, right_before = (self.expected(inputs) for inputs in sides)
        for name in self.function.results:
            what = f"the difference of {name} in row {j} of {', '.join(names)}"
            got = self.rows(name, (after[name] - before[name]) / (2 * STEP))
            want = self.rows(name, (right_after[name] - right_before[name]) / (2 * STEP))
            if np.any(got[hidden] != 0):
                raise AssertionError(f"{what} is not 0 in rows that do not read it: {got[hidden]}")
            close(got[~hidden], want[~hidden], what, 1e-8)

    def chunks(self, splits):
        """Rows fed in chunks give the bits of the whole run, on every backend."""
        for split in splits:
            for backend in self.backends:
                self.decode(split, backend)

    def decode(self, split, backend):
        nova = self.backends[backend]
        options = {**self.options(), **({"along": self.along} if self.along else {})}
        pieces = nova.decode(self.function.path, self.inputs, self.function.results, chunks=split, **options)
        for name, value in pieces.items():
            same_bits(value, self.got[name], f"result {name}, rows in chunks of {split} on {backend}")

    def sizes(self):
        """The values of the symbols that are axes of arguments."""
        return {size: value for argument in self.function.arguments
                for size, value in zip(argument.sizes, self.inputs[argument.name].shape) if size.isidentifier()}
