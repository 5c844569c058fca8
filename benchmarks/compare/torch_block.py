"""std.nn.decoder_block in PyTorch, eager, with the shapes of benchmarks/DecoderBlock.cpp."""

import torch
from torch.nn.functional import scaled_dot_product_attention, silu

CHANNELS, GROUPS, HEADS_PER_GROUP, HALF_WIDTH, HIDDEN = 576, 3, 3, 32, 1536
WIDTH, HEADS = 2 * HALF_WIDTH, GROUPS * HEADS_PER_GROUP


class Block:
    def __init__(self):
        random = torch.Generator().manual_seed(1)
        weight = lambda rows, columns: torch.randn(rows, columns, generator=random) / rows**0.5
        self.q, self.k, self.v = (weight(CHANNELS, heads * WIDTH) for heads in (HEADS, GROUPS, GROUPS))
        self.merge = weight(HEADS * WIDTH, CHANNELS)
        self.gate, self.up, self.down = weight(CHANNELS, HIDDEN), weight(CHANNELS, HIDDEN), weight(HIDDEN, CHANNELS)
        self.first, self.second = torch.ones(CHANNELS), torch.ones(CHANNELS)
        self.rates = 10000.0 ** (-torch.arange(HALF_WIDTH) / HALF_WIDTH)

    def norm(self, x, gain):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * gain

    def rotate(self, x, first):
        angle = torch.arange(first, first + x.shape[1])[:, None] * self.rates
        cos, sin = angle.cos(), angle.sin()
        a, b = x[..., :HALF_WIDTH], x[..., HALF_WIDTH:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def __call__(self, x, keys=None, values=None):
        """The rows of the block behind those of `keys` and `values`; and the keys and values of all."""
        rows, past = x.shape[0], 0 if keys is None else keys.shape[1]
        heads = lambda y, count: y.view(rows, count, WIDTH).transpose(0, 1)
        u = self.norm(x, self.first)
        q = self.rotate(heads(u @ self.q, HEADS), past)
        k, v = self.rotate(heads(u @ self.k, GROUPS), past), heads(u @ self.v, GROUPS)
        if keys is not None:
            k, v = torch.cat([keys, k], 1), torch.cat([values, v], 1)
        shared = lambda y: y.repeat_interleave(HEADS_PER_GROUP, 0)[None]
        o = scaled_dot_product_attention(q[None], shared(k), shared(v), is_causal=keys is None)[0]
        r = x + o.transpose(0, 1).reshape(rows, -1) @ self.merge
        w = self.norm(r, self.second)
        return r + (silu(w @ self.gate) * (w @ self.up)) @ self.down, k, v


def work(rows, step):
    """A function that runs the block over so many rows, or over one row behind them."""
    block, x = Block(), torch.randn(rows, CHANNELS, generator=torch.Generator().manual_seed(2))
    if not step:
        return lambda: block(x)
    with torch.no_grad():
        _, keys, values = block(x)
    row = x[:1]
    return lambda: block(row, keys, values)
