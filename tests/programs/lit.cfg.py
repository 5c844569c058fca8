"""The GoogleTest programs of the build folder; every test case counts as one test."""

import os

import lit.formats

if not hasattr(config, "nova_programs"):
    # Not entered through a build folder: nothing is built here.
    config.unsupported = True
    config.nova_programs = os.path.dirname(__file__)
    config.nova_source = os.path.dirname(os.path.dirname(config.nova_programs))

config.name = "Nova programs"
config.test_source_root = config.test_exec_root = config.nova_programs
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.environment["NOVA_SOURCE"] = config.nova_source
config.environment["NOVA_STD_LIB"] = os.path.join(config.nova_source, "std_lib")
for name in ("NOVA_SLOW", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
