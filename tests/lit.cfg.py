"""The text tests: every `.nova`, `.mlir` and `.test` file with RUN lines under tests/. See tests/README.md."""

import json
import os
import re
import subprocess

import lit.formats
import lit.util

TESTS = os.path.dirname(os.path.abspath(__file__))

if not hasattr(config, "nova_build"):
    # Entered by a path in the sources: the build folder's configuration names the tools and comes back here.
    build = os.environ.get("NOVA_BUILD", os.path.join(os.path.dirname(TESTS), "build"))
    site = os.path.join(build, "tests", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal(f"{site} does not exist: run tools/bootstrap first")
    lit_config.load_config(config, site)
    raise SystemExit


def has_module(name):
    """Does the tests' Python have this module?"""
    command = [config.nova_python, "-c", f"import importlib.util, sys; sys.exit(not importlib.util.find_spec('{name}'))"]
    return subprocess.run(command, check=False).returncode == 0


def commands(nova):
    """The commands that nova's help lists, one an indented line."""
    listed = subprocess.run([nova, "--help"], check=False, capture_output=True, text=True).stdout
    return re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE)


def onednn_is_used(nova):
    """Does nova find a oneDNN that gives the canonical bits?"""
    command = [nova, "doctor", "--json", "--store", os.devnull]
    found = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    return bool(found) and json.loads(found)["onednn"]["qualified"]


def cpu_flags():
    """The processor's flags as the kernel lists them."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((set(line.split()) for line in file if line.startswith("flags")), set())


config.name = "Nova"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".nova", ".mlir", ".test"]
config.excludes = ["Inputs", "corpus", "programs", "CMakeLists.txt", "README.md"]
config.test_source_root = TESTS
config.test_exec_root = os.path.join(config.nova_build, "tests")

tools = os.path.join(config.nova_build, "bin")
config.environment["PATH"] = os.pathsep.join([tools, config.llvm_bin, os.environ["PATH"]])
# Modules compiled by tests stay in the build folder, and a test never sees another run's locale.
config.environment["NOVA_STORE"] = os.path.join(config.nova_build, "test-store")
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
for name in ("NOVA_SLOW", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%root", config.nova_source),
    ("%build", config.nova_build),
    ("%std_lib", os.path.join(config.nova_source, "std_lib")),
    ("%data", os.path.join(config.nova_source, "examples")),
    ("%tests", TESTS),
    ("%python", config.nova_python),
    ("%cxx", config.cxx_compiler),
]

if os.environ.get("NOVA_SLOW", "0") not in ("", "0"):
    config.available_features.add("slow")
if config.nova_compiler:
    config.available_features.add("compiler")
if config.nova_sanitize:
    config.available_features.add("sanitizer")
if os.path.exists(os.path.join(tools, "nova")):
    config.available_features |= {"nova"} | {f"nova-{command}" for command in commands(os.path.join(tools, "nova"))}
    if "nova-doctor" in config.available_features and onednn_is_used(os.path.join(tools, "nova")):
        config.available_features.add("onednn")
if os.path.exists(os.path.join(tools, "nova-lsp-server")):
    config.available_features.add("nova-lsp-server")
if os.path.exists(os.path.join(tools, "bench-attention")):
    config.available_features.add("benchmark")
if "avx2" in cpu_flags():
    config.available_features.add("avx2")
if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= cpu_flags():
    config.available_features.add("avx512")
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("gpu")
if has_module("numpy"):
    config.available_features.add("numpy")
if has_module("torch"):
    config.available_features.add("torch")
if lit.util.which("zsh", config.environment["PATH"]):
    config.available_features.add("zsh")
if lit.util.which("shellcheck", config.environment["PATH"]):
    config.available_features.add("shellcheck")
