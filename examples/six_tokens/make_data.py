"""Writes the data of this folder: fixed seed, few digits, so that anyone gets the same bytes.

usage: make_data.py [--check] [FOLDER]    --check compares FOLDER (default: this one) with what would be written
"""

import io
import os
import sys

import numpy as np

TOKENS = "The neural network generates fluent prose".split()
WIDTH, HEAD = 8, 4


def three_digits(values):
    """Rounds to three decimals. Sums of products of such numbers are exact enough to round the same way anywhere."""
    return np.round(values, 3) + 0.0


def arrays():
    """The arrays by file name. Integers from a generator with a fixed seed, scaled: no library's normal deviates."""
    source = np.random.RandomState(20170612)
    draw = lambda rows, columns, scale: three_digits(source.randint(-1000, 1001, (rows, columns)) * scale / 1000)
    result = {"embeddings": draw(len(TOKENS), WIDTH, 1.0)}
    for name in ("Wq", "Wk", "Wv"):
        result[name] = draw(WIDTH, HEAD, 1.0)
    for name in "QKV":
        result[name] = three_digits(result["embeddings"] @ result["W" + name.lower()])
    return result


def files():
    """File names and the bytes they hold."""
    result = {"tokens.txt": "".join(token + "\n" for token in TOKENS).encode()}
    for name, array in arrays().items():
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(array, dtype="<f8"))
        result[name + ".npy"] = buffer.getvalue()
    return result


def main(arguments):
    check = "--check" in arguments
    folders = [argument for argument in arguments if argument != "--check"]
    folder = folders[0] if folders else os.path.dirname(os.path.abspath(__file__))
    differing = []
    for name, data in files().items():
        path = os.path.join(folder, name)
        if not check:
            with open(path, "wb") as file:
                file.write(data)
        elif not os.path.exists(path) or open(path, "rb").read() != data:
            differing.append(name)
    for name in differing:
        print(f"{name} is not what make_data.py writes")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
