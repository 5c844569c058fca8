"""A function of std_lib as its files declare it: the graph, what `nova check` says of it, and its cases."""

import json
import os
import re

import numpy as np

KEYS = {"graph", "level", "results", "along", "rows", "state", "warns", "cases"}
LEVELS = ("L0", "L1", "L2", "L3", "L4")
ARGUMENT = re.compile(r"%(\w+): (\w+)\[([^\]]*)\]")
TYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "i1": np.bool_}


class Argument:
    """An argument of the signature: its element type (`T` where it follows the type parameter) and its sizes."""

    def __init__(self, name, element, sizes):
        self.name, self.element = name, element
        self.sizes = [size.strip() for size in sizes.split(",")] if sizes.strip() else []

    def is_float(self):
        return self.element in ("T", "f64", "f32")

    def dtype(self, instance):
        return TYPES[instance if self.element == "T" else self.element]

    def shape(self, sizes):
        """Its shape where the symbols have these values."""
        return tuple(int(evaluate(size, sizes)) for size in self.sizes)


def evaluate(text, names):
    """An expression of a cases file over these names alone."""
    return eval(text, {"__builtins__": {}}, dict(names))  # pylint: disable=eval-used


def array(value, dtype):
    """A literal of a cases file: nested lists of numbers, and of "inf", "-inf", "nan", which JSON lacks."""
    return np.array(value).astype(dtype)


def best_target(nova):
    """The best target that runs here; none where none does and there is only the interpreter."""
    code, out, errors = nova.command("doctor", "--json")
    if code != 0:
        raise AssertionError(f"nova doctor gave exit code {code}:\n{errors}")
    here = [target["name"] for target in json.loads(out)["targets"] if target["runs_here"]]
    return here[-1] if here else None


class Function:
    """`cases` is the path of the function's cases file; the graph and the page lie beside it."""

    def __init__(self, nova, cases):
        base = cases[: -len(".cases.json")]
        self.path, self.page, self.short = base + ".nova", base + ".md", os.path.basename(base)
        with open(cases, encoding="utf-8") as file:
            self.declared = json.load(file)
        unknown = set(self.declared) - KEYS
        if unknown:
            raise AssertionError(f"{cases}: unknown members {sorted(unknown)}, expected some of {sorted(KEYS)}")
        self.along = self.declared.get("along")
        words = ["--along", self.along] if self.along else []
        code, out, self.warnings = nova.command("check", self.path, "--json", *words)
        if code != 0:
            raise AssertionError(f"nova check {self.path} gave exit code {code}:\n{self.warnings}")
        self.checked = json.loads(out)["graphs"][-1]
        signature = self.checked["signature"]
        inside = signature[signature.index("(") : signature.index(") ->")]
        self.arguments = [Argument(*found.groups()) for found in ARGUMENT.finditer(inside)]
        self.results, self.target = self.declared["results"], best_target(nova)
        first = re.search(r"-> \(?\w+\[([^\]]*)\]", signature)
        self.result_sizes = Argument("", "", first.group(1)).sizes

    def options(self, instance):
        """How it is run for T = `instance`: on code for this machine alone, which takes half as long to compile."""
        return {"type": f"T={instance}", **({"target": self.target} if self.target else {})}

    def axis(self, name, along):
        """The axis of the rows: that of the symbol `along` in the argument, or in the results where `name` is one of
        them; otherwise the first."""
        sizes = next((argument.sizes for argument in self.arguments if argument.name == name), self.result_sizes)
        return sizes.index(along) if along in sizes else 0

    def extendable(self):
        return self.declared["state"] is not None

    def check_declared(self):
        """What the cases file declares is what the compiler proves and what the page says."""
        declared, checked = self.declared, self.checked
        if declared["graph"] != checked["graph"]:
            raise AssertionError(f"graph {checked['graph']}, declared as {declared['graph']}")
        if declared["level"] not in LEVELS:
            raise AssertionError(f"level {declared['level']}, expected one of {', '.join(LEVELS)}")
        with open(self.page, encoding="utf-8") as file:
            page = file.read()
        if f"\nLevel {declared['level']}" not in page:
            raise AssertionError(f"{self.page} has no line 'Level {declared['level']}'")
        if not checked["proved"]:
            raise AssertionError("the signature is not proved")
        rows = {argument["name"]: argument["dependence"] for argument in checked["arguments"]}
        if rows != declared["rows"]:
            raise AssertionError(f"rows are read as {rows}, declared as {declared['rows']}")
        if checked["extendable"] != self.extendable():
            raise AssertionError(f"extendable is {checked['extendable']}, declared is the state {declared['state']}")
        state = [value["type"] for value in checked["state"]] if self.extendable() else None
        if state != declared["state"]:
            raise AssertionError(f"the state is {state}, declared as {declared['state']}")
        warns = declared.get("warns", [])
        for text in warns:
            if text not in self.warnings:
                raise AssertionError(f"expected the warning {text!r} in:\n{self.warnings}")
        if not warns and "warning" in self.warnings:
            raise AssertionError(f"unexpected warning:\n{self.warnings}")
