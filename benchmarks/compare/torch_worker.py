"""Measures PyTorch's scaled_dot_product_attention. One JSON line in: {"name": CELL, "seconds": BUDGET}; one out: the
shortest call in seconds. The first line out names the version. Exits at the end of input."""

import json
import sys
import time

import torch

import cells

TYPES = {"f32": torch.float32, "f64": torch.float64}


def work(cell):
    """A function that does the cell's work once on standard normal inputs."""
    random = torch.Generator().manual_seed(1)
    shape = lambda rows: (1, cell.heads, rows, cell.width)
    make = lambda rows: torch.randn(shape(rows), generator=random, dtype=TYPES[cell.type])
    attention = torch.nn.functional.scaled_dot_product_attention
    queries = make(cell.rows if cell.kind == "prefill" else 1)
    keys, values = make(cell.rows), make(cell.rows)
    return lambda: attention(queries, keys, values, is_causal=cell.kind == "prefill")


def shortest(function, budget):
    """The shortest call of at least three within `budget` seconds, after a first one that does not count."""
    function()
    times, end = [], time.perf_counter() + budget
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def main(threads):
    torch.set_num_threads(threads)
    print(json.dumps({"version": torch.__version__}), flush=True)
    prepared = {}
    with torch.no_grad():
        for line in sys.stdin:
            request = json.loads(line)
            cell = cells.parse(request["name"])
            if cell.name not in prepared:
                prepared = {cell.name: work(cell)}
            print(json.dumps({"seconds": shortest(prepared[cell.name], request["seconds"])}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
