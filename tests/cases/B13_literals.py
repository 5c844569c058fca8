"""B13: literals that six or fifteen digits would lose, and one that no f64 holds."""

import os
import subprocess

import numpy as np
from case import graph_file, main, same_bits

VALUES = np.array([np.inf, -np.inf, np.nan, -0.0, 5e-324, 2.0**-1022, 0.1, 1 / 3, np.nextafter(1, 2),
                   1.7976931348623157e308])
LOCALE = "/usr/share/i18n/locales/de_DE"


def constants_keep_their_bits(nova):
    got = nova.run(graph_file("literals.nova"), {"X": np.zeros(1)})["O"]
    same_bits(got, VALUES, "constants")
    if got.view(np.uint64)[2] != 0x7FF8000000000000:
        raise AssertionError(f"the NaN is {got.view(np.uint64)[2]:#x}, expected the one of the language")


def constants_that_are_computed_with(nova):
    lines, names = [], []
    for i, value in enumerate(VALUES):
        word = repr(float(value))
        word = word if "." in word or "e" not in word else word.replace("e", ".0e")
        lines += [f"  %c{i} = constant {word}", f"  %r{i} = multiply %X, %c{i}"]
        names.append(f"r{i}")
    types, returned = ", ".join(["f64[1]"] * len(names)), ", ".join("%" + name for name in names)
    graph = nova.file(f"graph @f(%X: f64[1]) -> ({types}) {{\n" + "\n".join(lines) + f"\n  return {returned}\n}}\n")
    got = nova.run(graph, {"X": np.ones(1)}, names)
    for i, value in enumerate(VALUES):
        same_bits(got[f"r{i}"], [value], f"constant {value}")


def out_of_range_is_an_error(nova):
    graph = nova.file("graph @f(%X: f64[n]) -> f64[n] {\n  %c = constant 1.0e400\n  %O = add %X, %c\n  return %O\n}\n")
    nova.refused(graph, {"X": np.zeros(1)}, "graph1.nova:2:", "1.0e400")


def a_locale_with_a_decimal_comma_changes_nothing(nova):
    env = {"LC_ALL": "de_DE.UTF-8"}
    if os.path.exists(LOCALE):
        # The system may not have the locale; it is made from its source. Without the source the name alone is set.
        locales = os.path.join(nova.folder, "locales")
        os.mkdir(locales)
        target = os.path.join(locales, "de_DE.UTF-8")
        subprocess.run(["localedef", "-i", LOCALE, "-f", "UTF-8", target], capture_output=True, check=False)
        env["LOCPATH"] = locales
    got = nova.run(graph_file("literals.nova"), {"X": np.zeros(1)}, env=env)["O"]
    same_bits(got, VALUES, "constants in de_DE")


main(constants_keep_their_bits, constants_that_are_computed_with, out_of_range_is_an_error,
     a_locale_with_a_decimal_comma_changes_nothing)
