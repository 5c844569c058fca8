"""usage: grammar_test.py GRAMMAR NOVA FILE...: the editors' grammar gives every part of a text the right scope."""

import json
import re
import subprocess
import sys


class Grammar:
    """Applies `match` rules as an editor does: the earliest match wins, of several at one place the first rule."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.grammar = json.load(file)
        assert self.grammar["scopeName"] == "source.nova" and self.grammar["fileTypes"] == ["nova"]
        self.rules = []
        for rule in self.grammar["patterns"]:
            assert set(rule) <= {"name", "match", "captures"}, rule
            pattern = re.compile(rule["match"])
            captures = {int(group): each["name"] for group, each in rule.get("captures", {}).items()}
            assert captures or "name" in rule, rule
            assert all(group <= pattern.groups for group in captures), rule
            assert not pattern.match(""), f"matches nothing at all: {rule}"
            self.rules.append((pattern, rule.get("name"), captures))

    def tokens(self, line):
        """(text, scope) of every part; scope is None where no rule applies."""
        at, parts = 0, []
        while at < len(line):
            found = [(match.start(), i, match) for i, (pattern, _, _) in enumerate(self.rules)
                     if (match := pattern.search(line, at))]
            if not found:
                parts.append((line[at:], None))
                break
            start, i, match = min(found, key=lambda each: each[:2])
            parts.append((line[at:start], None))
            _, name, captures = self.rules[i]
            if name:
                parts.append((match.group(), name))
            for group, scope in captures.items():
                if match.group(group):
                    parts.append((match.group(group), scope))
            at = match.end()
        return [(text.strip(), scope) for text, scope in parts if text.strip()]


def check(grammar, line, *expected):
    have = [(text, scope and scope.removesuffix(".nova")) for text, scope in grammar.tokens(line)]
    for each in expected:
        assert each in have, f"{line!r}: expected {each}, found {have}"
    assert all(scope for _, scope in have), f"{line!r}: no rule for a part of it: {have}"


def main(path, nova, files):
    grammar = Grammar(path)
    operations = subprocess.run([nova, "completion", "operations"], check=True, capture_output=True, text=True).stdout.split()
    assert len(operations) > 20 and "add" in operations, operations
    for name in operations:
        check(grammar, f"  %y = {name} %x, 1", (name, "support.function.operation"), ("%y", "variable.other.definition"))
        check(grammar, f"%y={name} %x", (name, "support.function.operation"))
    check(grammar, "graph @std.nn.f<T: float = f64, I: int>(%Q: T[n, 2 * d]) -> (T[n], I[d]) where d >= 1, n == 3 {",
          ("graph", "keyword.declaration.graph"), ("@std.nn.f", "entity.name.function.graph"),
          ("float", "storage.type.kind"), ("f64", "storage.type.element"), ("%Q", "variable.parameter"),
          ("T", "storage.type.parameter"), ("->", "keyword.operator"), ("where", "keyword.control"),
          (">=", "keyword.operator"), ("==", "keyword.operator"), ("1", "constant.numeric"), ("3", "constant.numeric"))
    check(grammar, "graph @f(%x: f64[n]) -> f64[n] where n == add {", ("add", "variable.other.size"))
    check(grammar, "  %a, %12 = call @f(%x, %12) : f64[n], T[m] // %no", ("%a", "variable.other.definition"),
          ("%12", "variable.other.definition"), ("%12", "variable.other"), ("call", "support.function.operation"),
          ("@f", "entity.name.function.call"), ("f64", "storage.type.element"), ("// %no", "comment.line.double-slash"))
    check(grammar, "/// What %it does.", ("/// What %it does.", "comment.line.documentation"))
    check(grammar, "  %c = constant [-2.5e-3, -inf, nan, true] : f64[4]", ("-2.5e-3", "constant.numeric"),
          ("-inf", "constant.language"), ("nan", "constant.language"), ("true", "constant.language"))
    check(grammar, "  %s = reduce_sum %x, 1 drop", ("drop", "keyword.control"))
    check(grammar, "  return %s", ("return", "keyword.control"), ("%s", "variable.other"))
    for each in files:
        with open(each, encoding="utf-8") as file:
            for line in file.read().splitlines():
                check(grammar, line)
    print(f"{len(operations)} operations and {len(files)} files have their scopes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
