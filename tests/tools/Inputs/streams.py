"""Standard streams of `nova` that cannot be written or read. usage: streams.py NOVA GRAPH"""

import signal
import subprocess
import sys

ENVIRONMENT, BAD_INPUT = 3, 2
FULL = "error: cannot write to standard output: no space left on device\n"
CLOSED = "error: cannot write to standard output: bad file descriptor\n"


def shell(nova, arguments, redirection):
    """Runs `nova` by the shell; its exit code and standard error."""
    script = f'exec "$0" "$@" {redirection}'
    done = subprocess.run(["sh", "-c", script, nova, *arguments], capture_output=True, check=False, text=True, timeout=60)
    return done.returncode, done.stderr


def closed_pipe(nova, arguments):
    """Reads a few bytes and goes away; how `nova` ended and what it said."""
    with subprocess.Popen([nova, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()
        return process.wait(timeout=60), said


def main(nova, graph):
    run = ["run", graph, "--random", "n:3,d:2"]
    outputs = [["--help"], ["--version"], ["check", graph], ["check", "--help"], ["hash", graph], ["store", "ls"], ["doctor"]]
    outputs += [run, [*run, "--backend", "interpreter"], ["compile", graph, "--emit=asm"]]
    cases = []
    for arguments in outputs:
        cases.append((arguments, shell(nova, arguments, ">/dev/full"), (ENVIRONMENT, FULL)))
        cases.append((arguments, shell(nova, arguments, ">&-"), (ENVIRONMENT, CLOSED)))
    json = '{"message":"cannot write to standard output: no space left on device","notes":[],"severity":"error"}\n'
    cases.append(("--json", shell(nova, [*run, "--json"], ">/dev/full"), (ENVIRONMENT, json)))
    # Complaints that reach nobody change no exit code, and go into no file that was opened instead.
    cases.append(("2>/dev/full", shell(nova, ["frob"], "2>/dev/full"), (BAD_INPUT, "")))
    cases.append(("2>&-", shell(nova, ["frob"], "2>&-"), (BAD_INPUT, "")))
    cases.append(("pipe", closed_pipe(nova, ["compile", graph, "--emit=asm"]), (-signal.SIGPIPE, "")))

    zeros = "/dev/zero: error: holds zero bytes, expected the text of a graph file\n"
    cases.append(("graph", shell(nova, ["check", "/dev/zero"], ""), (BAD_INPUT, zeros)))
    npy = "error: --input Q=/dev/zero: expected a .npy file, found other bytes\n"
    cases.append(("npy", shell(nova, [*run, "--input", "Q=/dev/zero"], ""), (BAD_INPUT, npy)))

    faults = [f"{name}: expected {want}, found {found}" for name, found, want in cases if found != want]
    print("\n".join(faults) or "all as documented")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
