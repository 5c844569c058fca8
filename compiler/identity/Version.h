// The identity of a compiled version of a graph. No MLIR here: what a version is made of is text and numbers.
#ifndef NOVA_COMPILER_IDENTITY_VERSION_H
#define NOVA_COMPILER_IDENTITY_VERSION_H

#include "compiler/identity/Tokens.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nova {
/// The names by which a user speaks to a graph. They do not change what it computes, but a module holds them.
struct InterfaceNames {
  std::string graph;
  std::vector<std::string> typeParams; // in order of declaration
  std::vector<std::string> arguments;
  std::vector<std::string> results; // names of the returned values; "" without one
  std::vector<std::string> symbols; // by number in the stored form
};

/// All that a module depends on, the build of the compiler apart. Defaults are filled in by whoever makes the key: an
/// explicit default and an omitted one are the same version.
struct VersionKey {
  Hash semantic; // with the probes as extra results
  InterfaceNames names;
  std::vector<std::string> probes;                         // names, in order
  std::vector<std::string> elementTypes;                   // one for each type parameter, in order
  std::map<std::string, std::string> storage;              // argument or result, and the type it is kept in
  std::string phase;                                       // which of the derived graphs are in the module
  std::string along;                                       // the sequence symbol, "" for none
  std::vector<std::pair<std::string, int64_t>> fixedSizes; // symbol and size, in any order
  std::vector<std::string> targets; // named, in the order of the module; never the host's features
  std::string contract;             // `exact`
  std::string compiler;             // version of the compiler
};

/// Of the names alone.
Hash namesHash(const InterfaceNames &names);
/// Equal keys, equal hashes; the same build of the compiler then makes the same bytes.
Hash versionHash(const VersionKey &key);
/// Where the store keeps a version made by one build of the compiler. `places` are what errors of its runs call the
/// operations that may fail: a module says them, though they change nothing that it computes.
Hash storeKey(const Hash &version, const Hash &buildId, const std::vector<std::string> &places = {});
} // namespace nova

#endif
