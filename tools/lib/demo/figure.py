"""The demo's figure: two weight matrices side by side as an SVG, with a value in each cell and a colour bar."""

from xml.sax.saxutils import escape

CELL, LABELS, TOP, GAP, BAR = 66, 96, 132, 56, 18
FONT = "font-family='Helvetica, Arial, sans-serif'"
INK, QUIET = "#1b2733", "#5c6b7a"
# A single hue from light to dark: lightness alone carries the value, also in grey and to colour-blind eyes.
STOPS = [(0.0, (247, 250, 253)), (0.25, (190, 214, 236)), (0.5, (106, 168, 212)), (0.75, (36, 111, 176)), (1.0, (8, 48, 107))]


def colour(value):
    """The colour of a weight in [0, 1]."""
    value = min(max(value, 0.0), 1.0)
    for (low, start), (high, end) in zip(STOPS, STOPS[1:]):
        if value <= high:
            part = (value - low) / (high - low)
            return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(start, end))
    raise AssertionError("unreachable: a clamped value lies between two stops")


def text(x, y, content, size, fill=INK, anchor="middle", extra=""):
    return f"<text x='{x}' y='{y}' font-size='{size}' fill='{fill}' text-anchor='{anchor}' {extra}>{escape(content)}</text>"


def label(value):
    """Two decimals; an exact zero is a bare 0, so that it can be told from a small weight."""
    return "0" if value == 0.0 else f"{value:.2f}"


def matrix(left, weights, tokens, title, subtitle):
    """One matrix: query rows downwards, key columns."""
    n = len(tokens)
    yield text(left, 34, title, 17, anchor="start", extra="font-weight='bold'")
    yield text(left, 55, subtitle, 12.5, QUIET, "start")
    for j, token in enumerate(tokens):
        x = left + j * CELL + CELL / 2
        yield text(x, TOP - 10, token, 12.5, anchor="start", extra=f"transform='rotate(-32 {x} {TOP - 10})'")
    for i, token in enumerate(tokens):
        y = TOP + i * CELL
        yield text(left - 10, y + CELL / 2 + 4, token, 12.5, anchor="end")
        for j in range(n):
            value = float(weights[i][j])
            x = left + j * CELL
            tip = escape(f"{token} attends to {tokens[j]}: {value:.6f}")
            yield f"<rect x='{x}' y='{y}' width='{CELL - 2}' height='{CELL - 2}' rx='3' fill='{colour(value)}' stroke='#d9e1e8' stroke-width='0.8'>"
            yield f"<title>{tip}</title></rect>"
            fill = "#ffffff" if value > 0.62 else QUIET if value == 0.0 else INK
            yield text(x + CELL / 2 - 1, y + CELL / 2 + 4, label(value), 14, fill)


def colour_bar(left, height):
    """The scale from 0 (bottom) to 1 (top)."""
    stops = "".join(f"<stop offset='{at}' stop-color='{colour(at)}'/>" for at, _ in STOPS)
    yield f"<defs><linearGradient id='scale' x1='0' y1='1' x2='0' y2='0'>{stops}</linearGradient></defs>"
    yield f"<rect x='{left}' y='{TOP}' width='{BAR}' height='{height}' fill='url(#scale)' stroke='#d9e1e8'/>"
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = TOP + height * (1 - tick)
        yield f"<line x1='{left + BAR}' y1='{y}' x2='{left + BAR + 5}' y2='{y}' stroke='{QUIET}'/>"
        yield text(left + BAR + 9, y + 4, f"{tick:g}", 12, QUIET, "start")
    yield text(left + BAR / 2, TOP - 12, "weight", 12, QUIET)


def weights_figure(unmasked, masked, tokens):
    """The SVG text. Both matrices are [n, n] with entries in [0, 1]; `tokens` names their n rows and columns."""
    side = len(tokens) * CELL
    first, second = LABELS, LABELS + side + GAP + LABELS
    bar = second + side + 34
    width, height = bar + BAR + 60, TOP + side + 54
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}' {FONT}>",
        "<title>Attention weights without and with the causal mask</title>",
        f"<rect width='{width}' height='{height}' fill='#ffffff'/>",
        *matrix(first, unmasked, tokens, "Without the mask", "every token sees all tokens"),
        *matrix(second, masked, tokens, "Causal", "a token sees itself and earlier tokens; 0 is exactly 0"),
        *colour_bar(bar, side - 2),
        text(first, TOP + side + 26, "rows: queries (who asks), downwards; columns: keys (who is asked); each row sums to 1", 12.5, QUIET, "start"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
