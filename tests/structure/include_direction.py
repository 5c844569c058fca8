"""Folders are layers: dialects <- compiler <- tools; the runtime knows neither LLVM nor the compiler."""

import re
import sys

from sources import files, report, text

LLVM = re.compile(r"^(mlir|llvm|clang|llvm-c|mlir-c)/")
# What a file of a layer may include, by the first folder of the include path. Angle-bracket system headers are free.
ALLOWED = {
    "runtime": {"runtime", "nova"},
    "dialects": {"dialects", "llvm"},
    "compiler": {"dialects", "compiler", "llvm", "runtime"},
}
# The compiler shares these with the runtime (they know no LLVM): how a module's digest is computed.
SHARED_WITH_COMPILER = re.compile(r"^runtime/core/(Digest|Sha256)\.h$")
# Inside the compiler, in the order of the lowering. A folder sees itself, those before it and those named here.
PIPELINE_ONLY = re.compile(r"^compiler/(pipeline)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def faults_in(path, source):
    layer = path.split("/")[0]
    for match in INCLUDE.finditer(source):
        quote, header = match.groups()
        line = source.count("\n", 0, match.start()) + 1
        first = "llvm" if LLVM.match(header) else header.split("/")[0]
        own = first in ("runtime", "dialects", "compiler", "tools", "tests", "benchmarks", "nova", "llvm")
        if not own:
            continue
        if layer in ALLOWED and first not in ALLOWED[layer]:
            yield f"{path}:{line}: {layer} may not include {header}"
        if layer == "compiler" and first == "runtime" and not SHARED_WITH_COMPILER.match(header):
            yield f"{path}:{line}: of the runtime the compiler may include only the digest, not {header}"
        if path.startswith("compiler/") and not path.startswith("compiler/pipeline/") and PIPELINE_ONLY.match(header):
            yield f"{path}:{line}: only compiler/pipeline sees all the others; found {header}"
        if path.startswith("runtime/include/") and first not in ("nova",):
            yield f"{path}:{line}: a public header may not include {header}"
        if quote == '"' and ("../" in header or "/" not in header):
            yield f"{path}:{line}: the include path is the repository path; found {header}"


def main(root):
    faults, seen = [], 0
    for path in files(root):
        if path.split("/")[0] not in ("runtime", "dialects", "compiler") or not path.endswith((".h", ".cpp", ".c", ".cu")):
            continue
        seen += 1
        faults += faults_in(path, text(root, path) or "")
    return report(faults, f"includes of {seen} files point one way")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
