"""A benchmark's name as a cell of the comparison. `prefill/f32/8x2048x64` is heads x rows x width, and bf16 how they are kept;
`prefill_wide20` has questions twenty times greater, in `decode_grouped3` three heads share keys and values; `block/f32/256` is
a whole decoder block over so many rows."""

import re
from dataclasses import dataclass

KINDS = "prefill|prefill_wide20|decode|decode_grouped3|window256|prefix512|blocks512"
ATTENTION = re.compile(rf"^({KINDS})/(f32|f64|bf16)/(\d+)x(\d+)x(\d+)$")
BLOCK = re.compile(r"^(block|step)/(f32)/(\d+)$")
ELEMENT_BYTES = {"f32": 4, "f64": 8, "bf16": 2}
WIDER, SHARING = 20, 3
WINDOW, PREFIX, BLOCK_ROWS = 256, 512, 512


@dataclass(frozen=True)
class Cell:
    """One kind of work on one shape. `rows` is n of a whole run, the number of keys of a decode step or of rows before a
    block's step; `heads` and `width` are 0 for a block."""

    name: str
    kind: str
    type: str
    heads: int
    rows: int
    width: int

    @property
    def is_block(self):
        return self.kind in ("block", "step")

    @property
    def is_decode(self):
        return self.kind in ("decode", "decode_grouped3", "step")

    @property
    def key_heads(self):
        """How many keys and values there are for `heads` questions."""
        return self.heads // SHARING if self.kind == "decode_grouped3" else self.heads

    @property
    def scale(self):
        """What questions are multiplied by."""
        return WIDER if self.kind == "prefill_wide20" else 1

    @property
    def computed(self):
        """The type that Nova computes in."""
        return "f32" if self.type == "bf16" else self.type

    @property
    def unit(self):
        """Whole runs are bound by arithmetic, decode by memory; of a block, runs a second count."""
        if self.is_block:
            return "1/s"
        return "GB/s" if self.is_decode else "GFLOP/s"

    @property
    def counter(self):
        """Google Benchmark's counter of the rate; None where the time is what counts."""
        return {"GFLOP/s": "FLOPS", "GB/s": "bytes_per_second", "1/s": None}[self.unit]

    def visible(self):
        """The entries of the scores that are seen."""
        n = self.rows
        if self.kind == "window256":
            return sum(min(row + 1, WINDOW) for row in range(n))
        if self.kind == "prefix512":
            return sum(min(n, max(row + 1, PREFIX)) for row in range(n))
        if self.kind == "blocks512":
            return sum(min(n, (row // BLOCK_ROWS + 1) * BLOCK_ROWS) - row // BLOCK_ROWS * BLOCK_ROWS for row in range(n))
        return n * (n + 1) / 2

    @property
    def amount(self):
        """What one call does, in the unit times a second: multiply-adds of visible entries, or bytes of K and V read."""
        if self.is_block:
            return 1.0
        if self.is_decode:
            return 2 * self.key_heads * self.rows * self.width * ELEMENT_BYTES[self.type] / 1e9
        return 4 * self.heads * self.width * self.visible() / 1e9


def parse(name):
    """The cell of a benchmark's name, or None for a benchmark that is no cell."""
    if match := ATTENTION.match(name):
        kind, element, *shape = match.groups()
        return Cell(name, kind, element, *map(int, shape))
    if match := BLOCK.match(name):
        kind, element, rows = match.groups()
        return Cell(name, kind, element, 0, int(rows), 0)
    return None
