"""The functions of std_lib written again from their formulas in NumPy, row by row, entry by entry, for arrays of f64.

They share nothing with the graphs: no mask hides anything here, a row just does not look at what it may not see."""

import math

import numpy as np


def rows(x, function, width):
    """The function of each row, as the rows of a matrix."""
    return np.array([function(row) for row in x], np.float64).reshape(len(x), width)


def softmax_of(numbers):
    """e^x over its sum; e^-max is a factor of both."""
    powers = np.exp(numbers - np.max(numbers, initial=-np.inf))
    return powers / powers.sum()


def softmax(x):
    return rows(x, softmax_of, x.shape[1])


def log_softmax(x):
    def logarithms(row):
        top = np.max(row, initial=-np.inf)
        return row - top - math.log(math.fsum(np.exp(row - top))) if row.size else row

    return rows(x, logarithms, x.shape[1])


def mean(x):
    return rows(x, lambda row: math.fsum(row) / len(row), 1)


def variance_of(row):
    middle = math.fsum(row) / len(row)
    return math.fsum((number - middle) ** 2 for number in row) / len(row)


def variance(x):
    return rows(x, variance_of, 1)


def linear(x, W, bias):
    return np.einsum("ik,kj->ij", x, W) + bias[np.newaxis, :]


def layer_norm(x, gain, bias, eps):
    def normed(row):
        return (row - math.fsum(row) / len(row)) / math.sqrt(variance_of(row) + eps) * gain + bias

    return rows(x, normed, x.shape[1])


def rms_norm(x, gain, eps):
    def normed(row):
        return row / math.sqrt(math.fsum(row**2) / len(row) + eps) * gain

    return rows(x, normed, x.shape[1])


def gelu(x):
    return rows(x, lambda row: [v * 0.5 * math.erfc(-v / math.sqrt(2)) for v in row], x.shape[1])


def gelu_tanh(x):
    def value(v):
        return 0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))

    return rows(x, lambda row: [value(v) for v in row], x.shape[1])


def swish(v):
    return v / (1 + math.exp(-v)) if v >= 0 else v * math.exp(v) / (1 + math.exp(v))


def silu(x):
    return rows(x, lambda row: [swish(v) for v in row], x.shape[1])


def swiglu(x, W, V):
    return silu(np.einsum("ik,kj->ij", x, W)) * np.einsum("ik,kj->ij", x, V)


def rotary(x, rates):
    """Entries k and h + k as one complex number, times e^(i rate[k] position)."""
    h = len(rates)
    turned = [(row[:h] + 1j * row[h:]) * np.exp(1j * rates * position) for position, row in enumerate(x)]
    return rows(turned, lambda row: np.concatenate([row.real, row.imag]), 2 * h)


def embedding(table, tokens):
    return rows(tokens, lambda token: table[token], table.shape[1])


def attention_scores(Q, K):
    return np.einsum("ik,jk->ij", Q, K) / math.sqrt(Q.shape[1])


def attend(Q, K, V, visible, score=lambda i, j, s: s):
    """Row i: the mean of the values j that visible(i, j) lets through, weighted by the softmax of their scores; 0 where
    there is none. Also the weights."""
    out, weights = np.zeros((len(Q), V.shape[1])), np.zeros((len(Q), len(K)))
    for i, q in enumerate(Q):
        seen = [j for j in range(len(K)) if visible(i, j)]
        if seen:
            scores = [score(i, j, math.fsum(q * K[j]) / math.sqrt(Q.shape[1])) for j in seen]
            weights[i, seen] = softmax_of(np.array(scores))
            for j in seen:
                out[i] += weights[i, j] * V[j]
    return out, weights


def causal(i, j):
    return j <= i


def causal_softmax(S):
    weights = np.zeros(S.shape)
    for i, row in enumerate(S):
        weights[i, : i + 1] = softmax_of(row[: i + 1])
    return weights


def cross_attention(Q, K, V):
    return attend(Q, K, V, lambda i, j: True)[0]


attention = cross_attention


def causal_attention(Q, K, V):
    return attend(Q, K, V, causal)[0]


causal_attention_dv = additive_causal_attention = causal_attention


def causal_attention_weights(Q, K, V):
    return attend(Q, K, V, causal)


def additive_attention(Q, K, V, M):
    return attend(Q, K, V, lambda i, j: M[i, j] > -np.inf, lambda i, j, s: s + M[i, j])[0]


def sliding_window_attention(Q, K, V, window):
    return attend(Q, K, V, lambda i, j: i - len(window) < j <= i)[0]


def prefix_attention(Q, K, V, prefix):
    return attend(Q, K, V, lambda i, j: j <= i or j < len(prefix))[0]


def prompt_attention(Q, K, V, Kp, Vp):
    p = len(Kp)
    return attend(Q, np.concatenate([Kp, K]), np.concatenate([Vp, V]), lambda i, j: j < p or j - p <= i)[0]


def masked_attention(Q, K, V, keep):
    return attend(Q, K, V, lambda i, j: keep[i, j])[0]


def softcap_attention(Q, K, V, cap):
    return attend(Q, K, V, causal, lambda i, j, s: cap * math.tanh(s / cap))[0]


def alibi_attention(Q, K, V, slope):
    return attend(Q, K, V, causal, lambda i, j, s: s - slope * (i - j))[0]


def side_by_side(heads, n, width):
    """Row i of every head, one after the other."""
    return rows(range(n), lambda i: [entry for head in heads for entry in head[i]], width)


def multi_head_attention(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo):
    def one(sequence):
        heads = [causal_attention(*(linear(sequence, W[m], b[m]) for W, b in ((Wq, bq), (Wk, bk), (Wv, bv))))
                 for m in range(len(Wq))]
        return linear(side_by_side(heads, len(sequence), len(Wo)), Wo, bo)

    return np.array([one(sequence) for sequence in x], np.float64).reshape(x.shape)


def grouped_query_attention(x, Wq, Wk, Wv, Wo, rates):
    """Head m of P * G asks the keys of group m // G."""
    P, G = Wq.shape[:2]
    heads = [causal_attention(rotary(x @ Wq[m // G, m % G], rates), rotary(x @ Wk[m // G], rates), x @ Wv[m // G])
             for m in range(P * G)]
    return side_by_side(heads, len(x), len(Wo)) @ Wo


def decoder_block(x, g1, Wq, Wk, Wv, Wo, g2, Wgate, Wup, Wdown, rates, eps):
    middle = x + grouped_query_attention(rms_norm(x, g1, eps), Wq, Wk, Wv, Wo, rates)
    return middle + swiglu(rms_norm(middle, g2, eps), Wgate, Wup) @ Wdown


def decoder(tokens, table, g1, Wq, Wk, Wv, Wo, g2, Wgate, Wup, Wdown, rates, eps, g, Wout):
    x = table[tokens]
    for layer in zip(g1, Wq, Wk, Wv, Wo, g2, Wgate, Wup, Wdown):
        x = decoder_block(x, *layer, rates, eps)
    return rms_norm(x, g, eps) @ Wout


def top_k(x, slots):
    # By a key that puts NaN before all, then the greater value, then the lower column.
    columns = np.zeros((len(x), len(slots)), np.int64)
    for row, found in zip(x, columns):
        order = sorted(range(row.size), key=lambda j: (not np.isnan(row[j]), 0 if np.isnan(row[j]) else -row[j], j))
        found[:] = order[: len(slots)]
    return np.take_along_axis(x, columns, axis=1), columns


def cross_entropy(logits, target):
    losses = [-log_softmax(row[np.newaxis])[0, right] if 0 <= right < row.size else 0.0
              for row, right in zip(logits, target[:, 0])]
    return np.array(losses, np.float64).reshape(-1, 1)


def next_token_loss(logits, tokens):
    judged = cross_entropy(logits[:-1], tokens[1:])
    return np.concatenate([judged, np.zeros((min(1, len(logits)), 1))])
