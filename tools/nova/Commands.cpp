#include "tools/nova/Commands.h"

namespace nova::tool {
static constexpr Command all[] = {
    {"check", "prove a graph's signature and show how its rows depend on its arguments", R"(
EXAMPLES:
  nova check std_lib/nn/causal_attention.nova
  nova check graph.nova -v                      the dependence of every value
  nova check graph.nova --picture graph.svg     that and the tiles of the masks, to look at
  nova check graph.nova --picture graph.svg --sizes n:4096,w:512
  nova check - < graph.nova
)",
     checkCommand},
    {"fmt", "put graph files into the canonical layout", R"(
Only spaces and line breaks change: comments stay, and a graph keeps its hashes. Without an option the text goes to
standard output.

EXAMPLES:
  nova fmt graph.nova
  nova fmt -w std_lib/nn/*.nova                 in place
  nova fmt --check *.nova                       lists the files that would change; exit code 1 when there is one
  nova fmt - < graph.nova
)",
     formatCommand},
    {"compile", "compile a graph to a module, or print a stage of the way", R"(
EXAMPLES:
  nova compile attention.nova                    into the store
  nova compile attention.nova -o attention.so    into a file
  nova compile attention.nova --emit=plan        which contraction runs where, and why
)",
     compileCommand},
    {"run", "run a graph once on all rows", R"(
EXAMPLES:
  nova run attention.nova --input Q=q.npy --input K=k.npy --input V=v.npy --output O=o.npy
  nova run attention.nova --type T=f32 --random n:6,d:4 --seed 7 --probe A
  nova run attention.nova --random n:6,d:4 --backend interpreter
)",
     runCommand},
    {"decode", "run a graph row by row (or by chunks) through a session", R"(
The rows of the arguments are fed one by one and the results put together, so they have the shape, and the bits, of
`nova run`.

EXAMPLES:
  nova decode attention.nova --input Q=q.npy --input K=k.npy --input V=v.npy --output O=o.npy
  nova decode attention.nova --random n:100,d:4 --chunks 64,1      a prompt of 64 rows, then one by one
)",
     decodeCommand},
    {"trace", "compute every named value, and compare them with those of a file", R"(
The interpreter computes the graph. With --against each value is compared with the tensor of its name, and the first
value and row that differ are told, in the order of the text; exit code 1 when there is one. Units in the last place
are steps from one number of the type to the next; zeros of different sign are one step apart, NaNs are all the same.

EXAMPLES:
  nova trace attention.nova --random n:6,d:4                       each value's type and range
  nova trace attention.nova --input all.npz --against all.npz      arguments and values from one file
  nova trace attention.nova --input all.npz --against torch.npz --type T=f32 --ulps 4
  nova trace attention.nova --random n:6,d:4 --output values.npz
)",
     traceCommand},
    {"hash", "print a graph's hashes", R"(
alone: this graph, its callees by their signatures. semantic: with everything it reaches. version: with names, probes,
element types and targets; the key of the store.

EXAMPLES:
  nova hash attention.nova
  nova hash attention.nova --type T=f32 --json
)",
     hashCommand},
    {"diff", "show what two graphs do differently", R"(
Names of values, sizes, arguments and callees, comments and the order of independent lines do not count. An operation
that only receives something else is not listed, what it receives is. Exit code 1 when the graphs differ.

EXAMPLES:
  nova diff old/attention.nova attention.nova
  nova diff graphs.nova graphs.nova --entry f --with g
)",
     diffCommand},
    {"bench", "measure how fast a graph runs", R"(
Google Benchmark measures the compiled module on random arguments and prints its table: time, rows of the first result
a second, and where no mask hides entries the additions and multiplications of contractions a second. With --decode
also one row at a time in a session that holds as many rows (and up to 63 more). Flags that begin with --benchmark_ are
the library's: --benchmark_filter, --benchmark_min_time, --benchmark_repetitions, --benchmark_format=json.

EXAMPLES:
  nova bench attention.nova --sizes n:1024,d:64 --sizes n:2048,d:64 --type T=f32
  nova bench attention.nova --sizes n:4096,d:64 --decode --threads 2 --benchmark_min_time=2
)",
     benchCommand},
    {"store", "look after the store of compiled modules", R"(
EXAMPLES:
  nova store ls
  nova store gc --limit 500M
  nova store verify          exit code 1 when an entry is damaged
)",
     storeCommand},
    {"completion", "print a script that completes command lines in a shell", R"(
Commands, options and their values, files, and the names of graphs, arguments and values in the graph file of the line.
The scripts ask for those by `nova completion graphs FILE`, `arguments FILE [GRAPH]` and `values FILE [GRAPH]`; editors
ask for the language's operations by `nova completion operations`.

EXAMPLES:
  source <(nova completion bash)                           in ~/.bashrc
  source <(nova completion zsh)                            in ~/.zshrc, after compinit
)",
     completionCommand},
    {"doctor", "print what this machine offers", R"(
EXAMPLES:
  nova doctor
  nova doctor --json
)",
     doctorCommand},
};

llvm::ArrayRef<Command> commands() { return all; }
} // namespace nova::tool
