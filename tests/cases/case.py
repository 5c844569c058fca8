"""What the cases share: running nova on NumPy arrays and comparing with what is right."""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
STD_LIB = os.path.join(os.path.dirname(os.path.dirname(HERE)), "std_lib")
ATTENTION = os.path.join(STD_LIB, "nn", "causal_attention.nova")
ATTENTION_DV = os.path.join(STD_LIB, "nn", "causal_attention_dv.nova")


def graph_file(name):
    return os.path.join(HERE, "Inputs", name)


class Nova:
    """The command line with one backend, in a folder of its own that goes away at the end. Modules are kept in the store
    of all tests unless `own_store`."""

    def __init__(self, backend, own_store=False):
        self.backend = backend
        self._folder = tempfile.TemporaryDirectory(prefix="nova-case-")
        self.folder = self._folder.name
        self.count = 0
        self.store = os.path.join(self.folder, "store") if own_store else None

    def command(self, *words, env=None):
        """Runs `nova words...`; returns exit code, standard output, standard error."""
        done = subprocess.run(["nova", *words], capture_output=True, text=True, check=False, timeout=300,
                              env={**os.environ, **(env or {})})
        if done.returncode < 0:
            raise AssertionError(f"nova {' '.join(words)} ended by signal {-done.returncode}\n{done.stderr}")
        return done.returncode, done.stdout, done.stderr

    def file(self, text):
        """A graph file with this text."""
        self.count += 1
        path = os.path.join(self.folder, f"graph{self.count}.nova")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def words(self, graph, inputs, results, options):
        """The words of a run, and the files of its results."""
        self.count += 1
        words, files = [graph, "--backend", self.backend, *(["--store", self.store] if self.store else [])], {}
        for name, value in inputs.items():
            path = os.path.join(self.folder, f"in{self.count}-{name}.npy")
            np.save(path, value)
            words += ["--input", f"{name}={path}"]
        for name in results:
            files[name] = os.path.join(self.folder, f"out{self.count}-{name}.npy")
            words += ["--output", f"{name}={files[name]}"]
        for name, value in options.items():
            words += [f"--{name}", str(value)]
        return words, files

    def run(self, graph, inputs, results=("O",), probes=(), command="run", env=None, **options):
        """Results by name; an inner value named in `probes` is one too."""
        words, files = self.words(graph, inputs, [*results, *probes], options)
        for probe in probes:
            words += ["--probe", probe]
        code, _, errors = self.command(command, *words, env=env)
        if code != 0:
            raise AssertionError(f"nova {command} {' '.join(words)} gave exit code {code}:\n{errors}")
        self.errors = errors
        return {name: np.load(path) for name, path in files.items()}

    def decode(self, graph, inputs, results=("O",), chunks="1", **options):
        return self.run(graph, inputs, results, command="decode", chunks=chunks, **options)

    def refused(self, graph, inputs, *expected, results=("O",), command="run", **options):
        """The input is bad: exit code 2, a message with all of `expected`, and no result file."""
        words, files = self.words(graph, inputs, results, options)
        code, _, errors = self.command(command, *words)
        if code != 2:
            raise AssertionError(f"nova {command} {' '.join(words)} gave exit code {code}, expected 2:\n{errors}")
        for text in expected:
            if text not in errors:
                raise AssertionError(f"expected {text!r} in:\n{errors}")
        for path in files.values():
            if os.path.exists(path):
                raise AssertionError(f"a result was written although the input is bad: {path}")

    def entries(self):
        """What the own store holds."""
        code, out, errors = self.command("store", "ls", "--store", self.store, "--json")
        if code != 0:
            raise AssertionError(f"nova store ls gave exit code {code}:\n{errors}")
        return json.loads(out)["entries"]


def bits(array):
    array = np.ascontiguousarray(array)
    return array.view({8: np.uint64, 4: np.uint32, 1: np.uint8}[array.dtype.itemsize])


def same_bits(got, want, what=""):
    want = np.asarray(want, dtype=got.dtype)
    if got.shape != want.shape:
        raise AssertionError(f"{what}: shape {got.shape}, expected {want.shape}")
    differ = bits(got) != bits(want)
    if got.dtype.kind == "f":
        differ &= ~(np.isnan(got) & np.isnan(want))
    if differ.any():
        at = tuple(int(i) for i in np.argwhere(differ)[0])
        count = f"{int(differ.sum())} of {got.size} differ"
        raise AssertionError(f"{what}: {count}, first at {at}: {got[at]!r}, expected {want[at]!r}")


def close(got, want, what="", tolerance=None):
    """Within 1e-12 (f32: 1e-5) of the right answer, relative to its size or to 1; infinities and NaN must be there."""
    want = np.asarray(want, dtype=np.float64)
    if got.shape != want.shape:
        raise AssertionError(f"{what}: shape {got.shape}, expected {want.shape}")
    tolerance = tolerance or (1e-12 if got.dtype == np.float64 else 1e-5)
    with np.errstate(invalid="ignore"):
        near = np.abs(got - want) <= tolerance * np.maximum(1, np.abs(want))
        fits = (got == want) | (np.isnan(got) & np.isnan(want)) | near
    if not fits.all():
        at = tuple(int(i) for i in np.argwhere(~fits)[0])
        raise AssertionError(f"{what}: {got[at]!r} at {at}, expected {want[at]!r}")


def column(*values, dtype=np.float64):
    return np.array(values, dtype=dtype).reshape(-1, 1)


def attention(q, k, v):
    """Causal attention from its definition, row by row: keys after the row do not take part at all."""
    out = np.zeros((q.shape[0], v.shape[1]))
    for i in range(q.shape[0]):
        scores = k[: i + 1].astype(np.float64) @ q[i].astype(np.float64) / np.sqrt(q.shape[1])
        weights = np.exp(scores - scores.max())
        out[i] = (weights / weights.sum()) @ v[: i + 1].astype(np.float64)
    return out


def main(*steps, own_store=False):
    """Runs the steps of a case on the backend that the command line names, each with a Nova of its own."""
    backend = sys.argv[1]
    for step in steps:
        try:
            step(Nova(backend, own_store))
        except AssertionError as error:
            print(f"FAIL {step.__name__} on {backend}: {error}")
            sys.exit(1)
        print(f"ok {step.__name__} on {backend}")
