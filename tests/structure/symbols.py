"""What binaries need and offer.

usage: symbols.py math FILE...      no file needs a function of a math library
       symbols.py nothing FILE...   no file needs any symbol at all (compiled modules)
       symbols.py exports PREFIX FILE...  shared objects define only symbols with the prefix
       symbols.py libraries FILE...  no file links LLVM, MLIR or an OpenMP runtime
"""

import re
import subprocess
import sys

FUNCTIONS = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor fma
fmax fmaximum fmin fminimum fmod frexp hypot ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf
nearbyint nextafter pow remainder rint round roundeven scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc""".split()
# The plain names, the float and long double ones, and glibc's internal ones; also SVML and SLEEF.
MATH = re.compile(r"^(_*(" + "|".join(FUNCTIONS) + r")(f|l|f16|f32|f64|f128)?(_finite|_r)?|__svml_.*|_ZGV.*|Sleef_.*)$")
FORBIDDEN_LIBRARIES = re.compile(r"lib(LLVM|MLIR|gomp|iomp|omp)")


def symbols(path, *options):
    """Names that llvm-nm prints for the file or archive, without versions."""
    command = ["llvm-nm", "--format=just-symbols", *options, path]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted({line.strip().split("@")[0] for line in listed if line.strip() and not line.endswith(":")})


def needed_libraries(path):
    listed = subprocess.run(["llvm-readelf", "--needed-libs", path], check=True, capture_output=True, text=True).stdout
    return [line.strip() for line in listed.splitlines() if ".so" in line]


def undefined(path):
    dynamic = ["-D"] if path.endswith(".so") else []
    return symbols(path, "--undefined-only", *dynamic)


def faults(kind, arguments):
    if kind == "exports":
        prefix, *paths = arguments
        for path in paths:
            for name in symbols(path, "-D", "--defined-only"):
                if not name.startswith(prefix):
                    yield f"{path} defines {name}, expected only {prefix}*"
        return
    for path in arguments:
        if kind == "math":
            yield from (f"{path} needs the math function {name}" for name in undefined(path) if MATH.match(name))
        elif kind == "nothing":
            yield from (f"{path} needs {name}, expected no symbol" for name in undefined(path))
        elif kind == "libraries":
            yield from (f"{path} links {name}" for name in needed_libraries(path) if FORBIDDEN_LIBRARIES.match(name))
        else:
            raise SystemExit(__doc__)


def main(arguments):
    if len(arguments) < 2:
        raise SystemExit(__doc__)
    found = list(faults(arguments[0], arguments[1:]))
    print("\n".join(found) if found else f"{arguments[0]}: nothing found in {len(arguments) - 1} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
