"""B04: a query row with every key masked: the plain formula gives (-inf) - (-inf) = NaN."""

import numpy as np
from case import close, column, graph_file, main, same_bits

KEEP = np.array([[True, False, False], [False, False, False], [True, False, True]])
V = column(1, 2, 4)
GRAPH = graph_file("keep_mask.nova")


def row_without_keys(nova):
    got = nova.run(GRAPH, {"S": np.zeros((3, 3)), "keep": KEEP, "V": V}, probes=["A"])
    same_bits(got["O"], column(1, 0, 2.5), "rows")
    same_bits(got["A"], [[1, 0, 0], [0, 0, 0], [0.5, 0, 0.5]], "weights")


def hidden_scores_may_be_anything(nova):
    scores = np.where(KEEP, 0.0, np.array([[0, np.nan, np.inf], [np.nan, -np.inf, np.inf], [0, np.nan, 0]]))
    got = nova.run(GRAPH, {"S": scores, "keep": KEEP, "V": V})["O"]
    same_bits(got, column(1, 0, 2.5), "rows")
    got = nova.run(GRAPH, {"S": scores, "keep": KEEP, "V": column(1, np.nan, 4)})["O"]
    same_bits(got, column(1, 0, 2.5), "rows with a NaN in a value that nobody sees")


def everything_hidden(nova):
    inputs = {"S": np.ones((4, 4)), "keep": np.zeros((4, 4), bool), "V": np.ones((4, 2))}
    same_bits(nova.run(GRAPH, inputs)["O"], np.zeros((4, 2)), "rows")


def more_queries_than_keys(nova):
    inputs = {"Q": np.ones((5, 1)), "K": np.zeros((2, 1)), "V": column(1, 2)}
    close(nova.run(graph_file("bottom_right.nova"), inputs)["O"], column(0, 0, 0, 1, 1.5), "bottom right triangle")


def check_warns(nova):
    code, out, errors = nova.command("check", GRAPH)
    text = out + errors
    if code != 0 or "warning" not in text or "row" not in text:
        raise AssertionError(f"exit code {code}, expected 0 and a warning of rows with nothing visible:\n{text}")


main(row_without_keys, hidden_scores_may_be_anything, everything_hidden, more_queries_than_keys, check_warns)
