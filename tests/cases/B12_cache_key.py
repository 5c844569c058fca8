"""B12: causal attention with and without the division by sqrt(d): same names, same shapes."""

import json
import os
import subprocess

import numpy as np
from case import ATTENTION, close, main, same_bits

X = np.array([[0.0, 0, 0, 0], [2, 0, 0, 0]])
V = np.array([[0.0, 0, 0, 0], [1, 1, 1, 1]])
INPUTS = {"Q": X, "K": X, "V": V}
SCALED, PLAIN = 0.8807970779778823, 0.9820137900379085


def source():
    with open(ATTENTION, encoding="utf-8") as file:
        return file.read()


def without_scaling(text):
    """The scores are the plain products; all names stay."""
    assert "%QK     = matmul" in text and "  %S      = divide %QK, %rd\n" in text
    return text.replace("%QK     = matmul", "%S      = matmul").replace("  %S      = divide %QK, %rd\n", "")


def expect_entries(nova, count):
    entries = nova.entries()
    if len(entries) != count:
        raise AssertionError(f"the store has {len(entries)} entries, expected {count}: {entries}")


def expect_row(got, value, what):
    close(got["O"][1], np.full(4, value), what, 1e-12 if got["O"].dtype == np.float64 else 1e-6)


def two_graphs_in_one_store(nova):
    scaled, plain = nova.file(source()), nova.file(without_scaling(source()))
    for graph, want in ((scaled, SCALED), (plain, PLAIN), (plain, PLAIN), (scaled, SCALED)):
        expect_row(nova.run(graph, INPUTS, target="x86-64-v3"), want, "row 1")
    expect_entries(nova, 2)


def types_and_targets_have_entries_of_their_own(nova):
    single = {name: value.astype(np.float32) for name, value in INPUTS.items()}
    expect_row(nova.run(ATTENTION, single, type="T=f32"), SCALED, "f32")
    expect_row(nova.run(ATTENTION, INPUTS, type="T=f64"), SCALED, "f64")
    expect_entries(nova, 2)
    expect_row(nova.run(ATTENTION, INPUTS, target="x86-64-v3"), SCALED, "x86-64-v3")
    expect_entries(nova, 3)
    nova.run(ATTENTION, INPUTS)
    expect_entries(nova, 3)


def documentation_is_no_change(nova):
    first = nova.file(source())
    second = nova.file(source().replace("/// Row i", "/// Another text: row i") + "\n// The end.\n")
    hashes = [nova.command("hash", graph)[1].replace(graph, "") for graph in (first, second)]
    if hashes[0] != hashes[1] or not hashes[0]:
        raise AssertionError(f"hashes differ: {hashes}")
    for graph in (first, second):
        nova.run(graph, INPUTS, target="x86-64-v3")
    expect_entries(nova, 1)


def damaged_entries_are_made_again(nova):
    options = {"target": "x86-64-v3"}
    want = nova.run(ATTENTION, INPUTS, **options)["O"]
    path = nova.entries()[0]["path"]
    with open(path, "rb") as file:
        whole = file.read()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    for damaged in (whole[: len(whole) // 2], bytes(changed)):
        with open(path, "wb") as file:
            file.write(damaged)
        same_bits(nova.run(ATTENTION, INPUTS, **options)["O"], want, "after damage")
        if path not in nova.errors:
            raise AssertionError(f"expected a warning that names {path}, found {nova.errors!r}")
        same_bits(nova.run(ATTENTION, INPUTS, **options)["O"], want, "after that")
        if nova.errors or os.path.getsize(path) != len(whole):
            raise AssertionError(f"the entry was not made again: {nova.errors}")


def four_compilers_at_once(nova):
    words, _ = nova.words(ATTENTION, INPUTS, (), {"target": "x86-64-v3"})
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(["nova", "run", *words, "--json"], **pipes) for _ in range(4)]
    ended = [process.communicate() for process in started]
    results = []
    for process, (out, errors) in zip(started, ended):
        if process.returncode != 0 or errors:
            raise AssertionError(f"exit code {process.returncode}: {errors}")
        results.append(json.loads(out)["results"])
    if any(result != results[0] for result in results):
        raise AssertionError(f"results differ: {results}")
    expect_entries(nova, 1)


main(two_graphs_in_one_store, types_and_targets_have_entries_of_their_own, documentation_is_no_change,
     damaged_entries_are_made_again, four_compilers_at_once, own_store=True)
