"""Runs bench-attention and PyTorch in turns and writes the table of docs/performance.md.

usage: compare.py [--rounds N] [--seconds S] [--filter REGEX] [--threads N...] [--build FOLDER] [--no-document]
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass, field

import cells

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DOCUMENT = os.path.join(ROOT, "docs", "performance.md")
BEGIN, END = "<!-- table: begin (written by benchmarks/compare) -->", "<!-- table: end -->"


def seconds_of(entry):
    return entry["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[entry["time_unit"]]


class Nova:
    """The program bench-attention, with so many threads."""

    def __init__(self, build, threads):
        self.program = [os.path.join(build, "bin", "bench-attention"), f"--threads={threads}"]

    def names(self):
        listed = subprocess.run([*self.program, "--benchmark_list_tests"], check=True, capture_output=True, text=True)
        return listed.stdout.split()

    def measure(self, pattern, seconds, repetitions):
        """The entries of one run of the benchmarks that match, as Google Benchmark reports them."""
        command = [*self.program, f"--benchmark_filter={pattern}", "--benchmark_format=json",
                   f"--benchmark_min_time={seconds}", f"--benchmark_repetitions={repetitions}"]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        entries = [entry for entry in json.loads(done.stdout)["benchmarks"] if entry["run_type"] == "iteration"]
        for entry in entries:
            if entry.get("error_occurred"):
                raise RuntimeError(f"{entry['name']}: {entry['error_message']}")
        return entries

    def rate(self, cell, budget):
        """The best rate of single calls, in the cell's unit: repetitions of at least one call each."""
        pattern = f"^{cell.name}$"
        first = self.measure(pattern, 0.001, 1)[0]
        repetitions = max(3, min(200, int(budget / (seconds_of(first) * first["iterations"]))))
        entries = self.measure(pattern, 0.001, repetitions)
        if cell.counter:
            return max(entry[cell.counter] for entry in entries) / 1e9
        return 1 / min(seconds_of(entry) for entry in entries)


class Torch:
    """The worker process, which sleeps while Nova is measured."""

    def __init__(self, threads):
        command = [sys.executable, os.path.join(HERE, "torch_worker.py"), str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self.answer()["version"]

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the PyTorch worker ended with code {self.process.wait()}")
        return json.loads(line)

    def rate(self, cell, budget):
        self.process.stdin.write(json.dumps({"name": cell.name, "seconds": budget}) + "\n")
        self.process.stdin.flush()
        return cell.amount / self.answer()["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Result:
    """The rates of one cell, a pair per round."""

    cell: cells.Cell
    nova: list = field(default_factory=list)
    torch: list = field(default_factory=list)

    @property
    def ratio(self):
        """Best against best, which other work on the machine disturbs least."""
        return max(self.nova) / max(self.torch)

    @property
    def spread(self):
        ratios = [a / b for a, b in zip(self.nova, self.torch)]
        return f"{min(ratios):.2f}-{max(ratios):.2f}"


def peaks(nova):
    """The best FMA rate per type in GFLOP/s and the read bandwidth in GB/s, over threads."""
    best = {}
    for entry in nova.measure("^peak/", 0.2, 3):
        kind = entry["name"].rsplit("/", 1)[0]
        rate = entry.get("FLOPS", entry.get("bytes_per_second")) / 1e9
        best[kind] = max(best.get(kind, 0.0), rate)
    return best


def share_of_peak(result, peak):
    if result.cell.is_block:
        return ""
    limit = peak["peak/read"] if result.cell.is_decode else peak[f"peak/fma/{result.cell.computed}"]
    return f"{100 * max(result.nova) / limit:.0f}%"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())


def table(results, peak, versions, threads, rounds):
    """The Markdown of what was measured with so many threads."""
    lines = [
        f"{processor()}, {threads} thread{'s'[:threads - 1]}, {rounds} rounds in turns; PyTorch {versions}. In the same run: "
        f"FMA peak {peak['peak/fma/f32']:.0f} GFLOP/s f32, {peak['peak/fma/f64']:.0f} f64; read bandwidth {peak['peak/read']:.1f} GB/s.",
        "",
        "| work (heads x rows x width) | unit | Nova | of the peak | PyTorch | ratio | ratio by round |",
        "|---|---|---|---|---|---|---|",
    ]
    for result in results:
        lines.append(
            f"| {result.cell.name} | {result.cell.unit} | {max(result.nova):.1f} | {share_of_peak(result, peak)} "
            f"| {max(result.torch):.1f} | **{result.ratio:.2f}** | {result.spread} |")
    return "\n".join(lines)


def write_document(content):
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{content}\n{END}{after}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="turns per cell")
    parser.add_argument("--seconds", type=float, default=1.0, help="time per turn and side")
    parser.add_argument("--filter", default="", help="only cells whose name matches")
    parser.add_argument("--threads", type=int, nargs="+", default=[2], help="threads of both sides; a table for each number")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="build folder")
    parser.add_argument("--no-document", action="store_true", help="print the table only")
    return parser.parse_args()


def compare(threads, arguments):
    """Measures the chosen cells and returns their table."""
    nova, torch = Nova(arguments.build, threads), Torch(threads)
    chosen = [cell for cell in map(cells.parse, nova.names()) if cell and re.search(arguments.filter, cell.name)]
    peak = peaks(nova)
    results = []
    for cell in chosen:
        result = Result(cell)
        results.append(result)
        for _ in range(arguments.rounds):
            result.nova.append(nova.rate(cell, arguments.seconds))
            result.torch.append(torch.rate(cell, arguments.seconds))
        print(f"{cell.name}: Nova {max(result.nova):.1f}, PyTorch {max(result.torch):.1f} {cell.unit}, "
              f"ratio {result.ratio:.2f} ({result.spread})", file=sys.stderr, flush=True)
    torch.close()
    for kind, rate in peaks(nova).items():
        peak[kind] = max(peak[kind], rate)
    return table(results, peak, torch.version, threads, arguments.rounds)


def main():
    arguments = parse_arguments()
    content = "\n\n".join(compare(threads, arguments) for threads in arguments.threads)
    print(content)
    if not arguments.no_document:
        write_document(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
