"""Tests of benchmarks/compare: cells.py and the table of compare.py."""

import sys

sys.path.insert(0, sys.argv[1])
import cells
import compare


def test_cells():
    prefill = cells.parse("prefill/f32/8x2048x64")
    assert (prefill.kind, prefill.type, prefill.heads, prefill.rows, prefill.width) == ("prefill", "f32", 8, 2048, 64)
    assert prefill.unit == "GFLOP/s" and abs(prefill.amount - 4 * 8 * 64 * 2048 * 2049 / 2 / 1e9) < 1e-12
    decode = cells.parse("decode/f64/8x4096x64")
    assert decode.unit == "GB/s" and abs(decode.amount - 2 * 8 * 4096 * 64 * 8 / 1e9) < 1e-12
    window = cells.parse("window256/f32/8x8192x64")
    assert window.unit == "GFLOP/s" and window.visible() == 256 * 257 / 2 + (8192 - 256) * 256
    assert cells.parse("prefix512/f32/8x2048x64").visible() == 512 * 512 + sum(range(513, 2049))
    assert cells.parse("blocks512/f32/8x2048x64").visible() == 2048 * 512
    wide = cells.parse("prefill_wide20/f64/4x2048x64")
    assert wide.unit == "GFLOP/s" and wide.scale == 20 and wide.amount == prefill.amount / 2
    stored = cells.parse("prefill/bf16/8x2048x64")
    assert stored.amount == prefill.amount and (stored.type, stored.computed) == ("bf16", "f32")
    grouped = cells.parse("decode_grouped3/f32/9x8192x64")
    assert grouped.is_decode and grouped.key_heads == 3 and abs(grouped.amount - 2 * 3 * 8192 * 64 * 4 / 1e9) < 1e-12
    step = cells.parse("step/f32/256")
    assert step.unit == "1/s" and step.amount == 1.0 and step.is_decode and step.counter is None
    for other in ("peak/fma/f32/2", "prefill/f32/8x2048", "compile/causal_attention/f32", "prefill/f16/8x8x8"):
        assert cells.parse(other) is None, other


def test_table():
    result = compare.Result(cells.parse("prefill/f32/8x2048x64"), nova=[120.0, 130.0], torch=[100.0, 104.0])
    assert result.ratio == 1.25 and result.spread == "1.20-1.25"
    peak = {"peak/fma/f32": 200.0, "peak/fma/f64": 100.0, "peak/read": 28.0}
    stored = compare.Result(cells.parse("prefill/bf16/8x2048x64"), nova=[100.0], torch=[50.0])
    text = compare.table([result, stored], peak, "1.0", threads=2, rounds=2)
    assert "2 threads, 2 rounds" in text and "1 thread, " in compare.table([result], peak, "1.0", threads=1, rounds=2)
    assert "| prefill/f32/8x2048x64 | GFLOP/s | 130.0 | 65% | 104.0 | **1.25** | 1.20-1.25 |" in text
    assert "| prefill/bf16/8x2048x64 | GFLOP/s | 100.0 | 50% | 50.0 | **2.00** | 2.00-2.00 |" in text


for test in (test_cells, test_table):
    test()
