"""B01: fewer queries than keys. Q all 1, K all 0, so each row is the mean of the values that it sees."""

import numpy as np
from case import ATTENTION, close, column, graph_file, main, same_bits

INPUTS = {"Q": np.ones((5, 1)), "K": np.zeros((5, 1)), "V": column(1, 2, 3, 4, 5)}
MEANS = column(1, 1.5, 2, 2.5, 3)


def prefill(nova):
    same_bits(nova.run(ATTENTION, INPUTS)["O"], MEANS, "prefill")


def chunk_of_two_after_three_tokens(nova):
    same_bits(nova.decode(ATTENTION, INPUTS, chunks="1,1,1,2")["O"], MEANS, "three tokens, then two")


def every_other_split(nova):
    for chunks in ("1", "2,3", "4,1", "5", "1,4", "3,2", "2,1,2", "7"):
        same_bits(nova.decode(ATTENTION, INPUTS, chunks=chunks)["O"], MEANS, f"chunks {chunks}")


def top_left_where_the_graph_says_so(nova):
    inputs = {"Q": np.ones((2, 1)), "K": np.zeros((5, 1)), "V": INPUTS["V"]}
    close(nova.run(graph_file("top_left.nova"), inputs)["O"], column(1, 1.5), "two queries, five keys, top left")


def bottom_right_where_the_graph_says_so(nova):
    inputs = {"Q": np.ones((2, 1)), "K": np.zeros((5, 1)), "V": INPUTS["V"]}
    close(nova.run(graph_file("bottom_right.nova"), inputs)["O"], column(2.5, 3), "two queries, five keys")


main(prefill, chunk_of_two_after_three_tokens, every_other_split, top_left_where_the_graph_says_so,
     bottom_right_where_the_graph_says_so)
