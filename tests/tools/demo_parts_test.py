"""Tests of tools/lib/demo: laws.py and figure.py."""

import sys
import xml.etree.ElementTree as ElementTree

import numpy as np

sys.path.insert(0, sys.argv[1])
import figure
import laws

SVG = "{http://www.w3.org/2000/svg}"
GOOD = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.25, 0.25]])


def test_laws():
    assert laws.future_weights_are_zero(GOOD).holds
    leaking = GOOD.copy()
    leaking[0, 2] = 5e-324
    law = laws.future_weights_are_zero(leaking)
    assert not law.holds and "5e-324" in law.measured
    assert laws.rows_sum_to_one(GOOD).holds
    assert not laws.rows_sum_to_one(GOOD * (1 + 2.0**-45)).holds
    values = np.array([[1.0, -0.0], [2.0, 3.0]])
    assert laws.first_row_is_first_value(values + 0.0, values).holds
    assert not laws.first_row_is_first_value(np.nextafter(values, 9.0), values).holds
    # A NaN is not a small number.
    broken = GOOD.copy()
    broken[1, 2] = np.nan
    assert not laws.future_weights_are_zero(broken).holds
    assert not laws.rows_sum_to_one(broken).holds


def test_bits():
    assert laws.differing_bits(GOOD, GOOD.copy()) == 0
    assert laws.differing_bits(np.array([0.0]), np.array([-0.0])) == 1
    assert laws.differing_bits(np.array([1.0]), np.array([np.nextafter(1.0, 2.0)])) == 1
    try:
        laws.differing_bits(GOOD, GOOD.astype(np.float32))
    except ValueError:
        return
    raise AssertionError("arrays of different types were compared")


def test_figure():
    tokens = ["a", "<b>", "c & d"]
    svg = figure.weights_figure(laws.softmax_rows(GOOD), GOOD, tokens)
    root = ElementTree.fromstring(svg)
    rectangles = root.findall(SVG + "rect")
    cells = [item for item in rectangles if item.find(SVG + "title") is not None]
    assert len(cells) == 2 * len(tokens) ** 2
    texts = [item.text for item in root.findall(SVG + "text")]
    for token in tokens:
        assert texts.count(token) == 4, f"{token} labels {texts.count(token)} rows and columns, expected 4"
    assert texts.count("0.75") == 2 and "1.00" in texts, "a cell's value or a tick of the colour bar is missing"
    assert figure.colour(0.0) == "#f7fafd" and figure.colour(1.0) == "#08306b" and figure.colour(2.0) == "#08306b"


for test in (test_laws, test_bits, test_figure):
    test()
