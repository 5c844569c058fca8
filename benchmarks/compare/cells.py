"""A benchmark's name as a cell of the comparison: `prefill/f32/8x2048x64` is heads x rows x width."""

import re
from dataclasses import dataclass

NAME = re.compile(r"^(prefill|decode)/(f32|f64)/(\d+)x(\d+)x(\d+)$")
ELEMENT_BYTES = {"f32": 4, "f64": 8}


@dataclass(frozen=True)
class Cell:
    """One kind of work on one shape. `rows` is n of a prefill, the number of keys of a decode step."""

    name: str
    kind: str
    type: str
    heads: int
    rows: int
    width: int

    @property
    def unit(self):
        """Prefill is bound by arithmetic, decode by memory."""
        return "GFLOP/s" if self.kind == "prefill" else "GB/s"

    @property
    def amount(self):
        """What one call does, in 1e9 of the unit: multiply-adds of the visible half, or bytes of K and V read."""
        if self.kind == "prefill":
            return 4 * self.heads * self.width * self.rows * (self.rows + 1) / 2 / 1e9
        return 2 * self.heads * self.rows * self.width * ELEMENT_BYTES[self.type] / 1e9


def parse(name):
    """The cell of a benchmark's name, or None for a benchmark that is no cell."""
    match = NAME.match(name)
    if not match:
        return None
    kind, element, *shape = match.groups()
    return Cell(name, kind, element, *map(int, shape))
