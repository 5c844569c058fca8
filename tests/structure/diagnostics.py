"""Every text that the sources can say is expected by some test. usage: diagnostics.py ROOT

A text is a string literal of at least two words in a C++ source, outside help texts and assertions; adjacent literals
are one. It is cut at its placeholders (%s, {0}), and each piece of two words or more must stand in a file of tests/, as
it is. So a diagnostic without a test, and one whose test looks at half of it, are found.
"""

import os
import re
import sys

from sources import files, report, text

SOURCES = ("dialects/", "compiler/", "tools/", "runtime/")
# Texts of other kinds: shell code, and what is compared with a program's words rather than said.
OTHER_FILES = ("tools/nova/CompletionScripts.cpp",)
# Calls whose texts are help, what a fault of Nova itself says, or what is looked for.
SILENT_CALLS = {
    "desc", "value_desc", "static_assert", "assert", "llvm_unreachable", "report_fatal_error", "setBugReportMsg",
    "MlirOptMain", "starts_with", "consume_front", "consume_back", "ends_with", "find", "rfind", "contains", "split",
}  # fmt: skip
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?P<text>"(?:\\.|[^"\\\n])*")|'
    r"'(?:\\.|[^'\\\n])+'|(?P<word>[A-Za-z_]\w*)|(?P<open>[({\[])|(?P<close>[)}\]])|(?P<blank>\s+)|(?P<other>==|!=|.)",
    re.DOTALL,
)
PLACEHOLDER = re.compile(r"%(?:l*[usdxi]|zu|zd|c)|\{\d[^}]*\}|%%")
ESCAPES = {"n": "\n", "t": "\t", "0": "\0"}


# What no test brings about, and why.
MEMORY = "memory that runs out beside all that is refused by name: which small piece is the last depends on the allocator"
REPLACED = "words of MLIR's parser that are replaced"
OTHER_MACHINE = "said on other processors than those that run the tests"
EXCEPTIONS = {
    "not enough memory for the results": MEMORY,
    "not enough memory for the arguments and results": MEMORY,
    "not enough memory for rows of the arguments and results": MEMORY,
    "not enough memory for the values of the graph": MEMORY,
    "an unexpected exception reached the interface": "keeps a fault of libnova from an application that knows no exceptions",
    ": the new layout would not mean the same, a fault of nova fmt; nothing is written": "keeps a fault of Nova from a source",
    "expected operation name in quotes": REPLACED,
    "operation defines 1 result": REPLACED,
    "expected valid '@'-identifier for symbol name": REPLACED,
    "instruction set": OTHER_MACHINE,
    "this cpu has no fma to compare it with": OTHER_MACHINE,
    "it is truncated": "a file that becomes shorter while it is read",
    "run, extend": "part of a key, said to nobody",
    "model name": "a word that is looked for",
}  # fmt: skip


def unescape(literal):
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match.group(1), match.group(1)), literal[1:-1])


def said(source):
    """(line, text) of every literal that may be said; adjacent literals are one."""
    calls, word, before, line, pending = [], "", "", 1, None
    for match in TOKEN.finditer(source):
        kind, token, here = match.lastgroup, match.group(0), line
        line += token.count("\n")
        if kind == "blank" or token.startswith(("//", "/*")):
            continue
        if kind == "text" and pending:
            pending = (pending[0], pending[1] + unescape(token), pending[2])
            continue
        if kind == "text":
            silent = SILENT_CALLS.intersection(calls) or before in ("==", "!=", "include")
            pending = (here, unescape(token), silent)
            continue
        if pending and not pending[2]:
            yield pending[:2]
        pending = None
        if kind == "open":
            calls.append(word if token == "(" else "")
        elif kind == "close" and calls:
            calls.pop()
        before, word = token, token if kind == "word" else ""


def pieces(message):
    """The parts of a text between placeholders and line ends that say something."""
    for piece in re.split(r"\n", PLACEHOLDER.sub("\n", message)):
        piece = " ".join(piece.split())
        if len(re.findall(r"[A-Za-z]{2,}", piece)) >= 2 and " " in piece:
            yield piece


def expectations(root, paths):
    """All that tests say, white space and joined literals made plain."""
    parts = []
    for path in paths:
        source = text(root, path)
        if source is None:
            continue
        source = re.sub(r'"\s*\n\s*[fr]?"', "", source)
        parts.append(" ".join(source.replace('\\"', '"').split()))
    return "\n".join(parts)


def main(root):
    paths = files(root)
    expected = expectations(root, [path for path in paths if path.startswith("tests/")])
    faults, seen = [], 0
    for path in paths:
        if not path.startswith(SOURCES) or not path.endswith((".cpp", ".h")) or path in OTHER_FILES:
            continue
        for line, message in said(text(root, path)):
            for piece in pieces(message):
                seen += 1
                if piece not in expected and piece not in EXCEPTIONS:
                    faults.append(f"{path}:{line}: no test expects: {piece}")
    return report(faults, f"{seen} texts are expected by tests")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
