"""Measures PyTorch. One JSON line in: {"name": CELL, "seconds": BUDGET}; one out: the shortest call in seconds. The first line
out names the version. Exits at the end of input.

Causal attention is scaled_dot_product_attention; other masks are FlexAttention with a block mask, compiled, which is how
PyTorch leaves hidden blocks out; a decoder block is eager code with the products of its weights merged."""

import json
import sys
import time

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import cells
import torch_block

TYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16}
MASKS = {
    "window256": lambda b, h, row, col: (col <= row) & (col > row - cells.WINDOW),
    "prefix512": lambda b, h, row, col: (col <= row) | (col < cells.PREFIX),
    "blocks512": lambda b, h, row, col: row // cells.BLOCK_ROWS == col // cells.BLOCK_ROWS,
}


def work(cell):
    """A function that does the cell's work once on standard normal inputs, questions scaled as the cell says."""
    if cell.is_block:
        return torch_block.work(cell.rows, step=cell.is_decode)
    random = torch.Generator().manual_seed(1)
    make = lambda heads, rows: torch.randn((1, heads, rows, cell.width), generator=random, dtype=TYPES[cell.type])
    queries = make(cell.heads, 1 if cell.is_decode else cell.rows) * cell.scale
    keys, values = make(cell.key_heads, cell.rows), make(cell.key_heads, cell.rows)
    if cell.kind in MASKS:
        mask = create_block_mask(MASKS[cell.kind], None, None, cell.rows, cell.rows, device="cpu")
        compiled = torch.compile(flex_attention)
        return lambda: compiled(queries, keys, values, block_mask=mask)
    attention = torch.nn.functional.scaled_dot_product_attention
    grouped = {"enable_gqa": True} if cell.key_heads < cell.heads else {}
    return lambda: attention(queries, keys, values, is_causal=not cell.is_decode, **grouped)


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
