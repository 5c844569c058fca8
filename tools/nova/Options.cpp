#include "tools/nova/Options.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nova::tool::options {
cl::SubCommand check("check", "prove a graph's signature and show how its rows depend on its arguments");
cl::SubCommand fmt("fmt", "put graph files into the canonical layout");
cl::SubCommand compile("compile", "compile a graph to a module, or print a stage of the way");
cl::SubCommand run("run", "run a graph once on all rows");
cl::SubCommand decode("decode", "run a graph row by row (or by chunks) through a session");
cl::SubCommand trace("trace", "compute every named value, and compare them with those of a file");
cl::SubCommand hash("hash", "print a graph's hashes");
cl::SubCommand diff("diff", "show what two graphs do differently");
cl::SubCommand bench("bench", "measure how fast a graph runs");
cl::SubCommand store("store", "look after the store of compiled modules");
cl::SubCommand completion("completion", "print a script that completes command lines in a shell");
cl::SubCommand doctor("doctor", "print what this machine offers");

static cl::OptionCategory category("Options");
static cl::cat own(category);

// The commands that may execute a graph on arguments; those of them that may run a compiled module, and all that run
// one; those that know sequences; all that read a graph.
#define FOR_RUN cl::sub(run), cl::sub(decode)
#define FOR_DATA FOR_RUN, cl::sub(trace)
#define FOR_MODULE FOR_RUN, cl::sub(bench)
#define FOR_SEQUENCE FOR_MODULE, cl::sub(check), cl::sub(compile), cl::sub(hash)
#define FOR_GRAPH FOR_SEQUENCE, cl::sub(trace)

cl::opt<std::string> file(cl::Positional, cl::Required, cl::desc("FILE"),
                          cl::value_desc("graph file, - is standard input"), own, FOR_GRAPH);
cl::list<std::string> files(cl::Positional, cl::OneOrMore, cl::desc("FILE..."),
                            cl::value_desc("graph files, - is standard input"), own, cl::sub(fmt));
cl::list<std::string> includeDirs("I", cl::Prefix, cl::value_desc("DIR"),
                                  cl::desc("look up called graphs below DIR (a.b in a/b.nova), before std_lib"), own,
                                  FOR_GRAPH, cl::sub(fmt), cl::sub(diff));
cl::opt<std::string> entry("entry", cl::value_desc("NAME"),
                           cl::desc("the graph to use (default: the last one of the file)"), own, FOR_GRAPH,
                           cl::sub(diff));
cl::opt<std::string> firstFile(cl::Positional, cl::Required, cl::desc("BEFORE"), own, cl::sub(diff));
cl::opt<std::string> secondFile(cl::Positional, cl::Required, cl::desc("AFTER"), own, cl::sub(diff));
cl::opt<std::string> otherEntry("with", cl::value_desc("NAME"),
                                cl::desc("the graph of AFTER (default: the one that --entry names)"), own,
                                cl::sub(diff));

cl::list<std::string> types("type", cl::value_desc("T=f32"), cl::desc("element type of a type parameter"), own,
                            FOR_GRAPH);
cl::list<std::string>
    storages("storage", cl::value_desc("Q=bf16"),
             cl::desc("keep an f32 argument or result in bf16 or f16: widened exactly where it is read, "
                      "rounded once where it is written"),
             own, FOR_GRAPH);
cl::list<std::string> probes("probe", cl::CommaSeparated, cl::value_desc("NAME"),
                             cl::desc("make an inner value an extra result"), own, FOR_RUN, cl::sub(compile),
                             cl::sub(hash));
cl::opt<std::string> along("along", cl::value_desc("n"),
                           cl::desc("the symbol of the sequence (default: the leading axis of the first result)"), own,
                           FOR_SEQUENCE);
cl::list<std::string> targets("target", cl::CommaSeparated, cl::value_desc("x86-64-v3|x86-64-v4"),
                              cl::desc("what the code is for (default: both, the best is chosen at load)"), own,
                              FOR_MODULE, cl::sub(compile), cl::sub(hash));

cl::list<std::string> inputs("input", cl::value_desc("Q=q.npy"),
                             cl::desc("an argument from a file: q.npy, all.npz:key or w.safetensors:key; all.npz or "
                                      "w.safetensors alone gives every argument whose name it holds"),
                             own, FOR_DATA);
cl::list<std::string>
    randoms("random", cl::value_desc("Q=n:6,d:4"),
            cl::desc("an argument of random numbers, with its sizes where no file gives them; without Q= all "
                     "arguments not given"),
            own, FOR_DATA);
cl::opt<std::string> seed("seed", cl::value_desc("N"), cl::init("1"),
                          cl::desc("what random numbers begin with (default: 1)"), own, FOR_DATA, cl::sub(bench));
cl::list<std::string> outputs("output", cl::value_desc("O=o.npy"),
                              cl::desc("write a result (by name, or by index from 0) to a .npy file; all.npz or "
                                       "all.safetensors alone gets all results"),
                              own, FOR_DATA);
cl::list<std::string> chunks("chunks", cl::CommaSeparated, cl::value_desc("1,5,7"),
                             cl::desc("rows per step; the last number repeats (default: 1)"), own, cl::sub(decode));
cl::opt<bool> stats("stats",
                    cl::desc("also tell rows per second and the size of the cache by the length of the context, "
                             "and which kernels took the time"),
                    own, cl::sub(decode));

cl::opt<std::string> backend("backend", cl::value_desc("compiled|interpreter"), cl::init("compiled"),
                             cl::desc("what executes the graph: the module (default) or the reference"), own, FOR_RUN);
cl::opt<std::string> threads("threads", cl::value_desc("N"), cl::init("0"),
                             cl::desc("threads to use (default: one per core); results are the same bits"), own,
                             FOR_MODULE);
cl::opt<std::string> onednn("onednn", cl::value_desc("on|off"), cl::init("on"),
                            cl::desc("library tiles of oneDNN where qualified; results are the same bits"), own,
                            FOR_MODULE, cl::sub(compile));
cl::opt<std::string>
    storeDir("store", cl::value_desc("DIR"),
             cl::desc("the store of compiled modules (default: $NOVA_STORE, else the user's cache folder)"), own,
             FOR_MODULE, cl::sub(compile), cl::sub(store), cl::sub(doctor));
cl::opt<bool> noStore("no-store", cl::desc("neither read nor write the store"), own, FOR_MODULE, cl::sub(compile));

cl::opt<std::string> picture("picture", cl::value_desc("FILE"),
                             cl::desc("draw the tiles of the masks and the dependence of each value as SVG (- is "
                                      "standard output, for the picture alone)"),
                             own, cl::sub(check));
cl::list<std::string> sizes("sizes", cl::value_desc("n:1024,d:64"),
                            cl::desc("sizes of the arguments: of random ones, given again for another benchmark; of a "
                                     "picture (default: 1024 rows, a quarter for others)"),
                            own, cl::sub(bench), cl::sub(check));
cl::opt<bool> decodeToo("decode", cl::desc("also measure one row of a session that holds the rows"), own,
                        cl::sub(bench));
std::vector<std::string> benchmarkFlags;

cl::opt<std::string> against("against", cl::value_desc("FILE"),
                             cl::desc("compare with the tensors of a .npz or .safetensors file by name"), own,
                             cl::sub(trace));
cl::opt<std::string> ulps("ulps", cl::value_desc("N"), cl::init("0"),
                          cl::desc("differences up to N units in the last place count as none (default: 0)"), own,
                          cl::sub(trace));

cl::opt<std::string> emit("emit", cl::value_desc("stored|core|extend|plan|tiles|vector|llvm|asm|module"),
                          cl::desc("print a stage of the way"), own, cl::sub(compile));
cl::opt<std::string> outputFile("o", cl::value_desc("FILE"), cl::desc("write there (- is standard output)"), own,
                                cl::sub(compile));
cl::opt<bool> verbose("v", cl::desc("also show every value"), own, cl::sub(check));
cl::opt<bool> json("json", cl::desc("machine-readable output and diagnostics"), own, FOR_GRAPH, cl::sub(fmt),
                   cl::sub(diff), cl::sub(store), cl::sub(doctor));

cl::opt<bool> checkOnly("check", cl::desc("list the files that would change"), own, cl::sub(fmt));
cl::opt<bool> inPlace("in-place", cl::desc("write the files instead of standard output"), own, cl::sub(fmt));
static cl::alias inPlaceLetter("w", cl::desc("short for --in-place"), cl::aliasopt(inPlace), own);

cl::list<std::string> completionWords(cl::Positional, cl::OneOrMore, cl::desc("bash|zsh"), own, cl::sub(completion));

cl::opt<std::string> action(cl::Positional, cl::Required, cl::desc("ls|gc|verify"), own, cl::sub(store));
cl::opt<std::string> limit("limit", cl::value_desc("SIZE"), cl::desc("gc: keep at most this much, as 500M or 2G"), own,
                           cl::sub(store));

bool isOwnOption(const cl::Option &option) { return is_contained(option.Categories, &category); }
} // namespace nova::tool::options
