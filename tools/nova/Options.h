// Every option of every command, in one place: LLVM's command-line library ties them to their commands as they are
// made. Values are texts: LLVM would report a wrong number or word in a form of its own. RunOptions and the commands
// read them.
#ifndef NOVA_TOOLS_NOVA_OPTIONS_H
#define NOVA_TOOLS_NOVA_OPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace nova::tool::options {
extern llvm::cl::SubCommand check, fmt, compile, run, decode, trace, hash, diff, bench, store, completion, doctor;

// What is read.
extern llvm::cl::opt<std::string> file;
extern llvm::cl::list<std::string> files;
extern llvm::cl::list<std::string> includeDirs;
extern llvm::cl::opt<std::string> entry;

// `nova diff`.
extern llvm::cl::opt<std::string> firstFile;
extern llvm::cl::opt<std::string> secondFile;
extern llvm::cl::opt<std::string> otherEntry;

// Which version of it.
extern llvm::cl::list<std::string> types;
extern llvm::cl::list<std::string> storages;
extern llvm::cl::list<std::string> probes;
extern llvm::cl::opt<std::string> along;
extern llvm::cl::list<std::string> targets;

// Arguments and results.
extern llvm::cl::list<std::string> inputs;
extern llvm::cl::list<std::string> randoms;
extern llvm::cl::opt<std::string> seed;
extern llvm::cl::list<std::string> outputs;
extern llvm::cl::list<std::string> chunks;
extern llvm::cl::opt<bool> stats;

// `nova trace`.
extern llvm::cl::opt<std::string> against;
extern llvm::cl::opt<std::string> ulps;

// `nova check`.
extern llvm::cl::opt<std::string> picture;

// `nova bench` and pictures.
extern llvm::cl::list<std::string> sizes;

// `nova bench`. The flags are Google Benchmark's own.
extern llvm::cl::opt<bool> decodeToo;
extern std::vector<std::string> benchmarkFlags;

// How it runs.
extern llvm::cl::opt<std::string> backend;
extern llvm::cl::opt<std::string> threads;
extern llvm::cl::opt<std::string> onednn;
extern llvm::cl::opt<std::string> storeDir;
extern llvm::cl::opt<bool> noStore;

// What is written.
extern llvm::cl::opt<std::string> emit;
extern llvm::cl::opt<std::string> outputFile;
extern llvm::cl::opt<bool> verbose;
extern llvm::cl::opt<bool> json;

// `nova fmt`.
extern llvm::cl::opt<bool> checkOnly;
extern llvm::cl::opt<bool> inPlace;

// `nova completion`.
extern llvm::cl::list<std::string> completionWords;

// `nova store ACTION`.
extern llvm::cl::opt<std::string> action;
extern llvm::cl::opt<std::string> limit;

/// False for an option that a library has registered.
bool isOwnOption(const llvm::cl::Option &option);
} // namespace nova::tool::options

#endif
