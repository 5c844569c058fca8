// The manifest of a module (docs/module-format.md): what the runtime must know about it.
#ifndef NOVA_COMPILER_PIPELINE_MANIFEST_H
#define NOVA_COMPILER_PIPELINE_MANIFEST_H

#include "compiler/conversion/GraphToTiles/Plan.h"
#include "compiler/conversion/TilesToVector/TilesToVector.h"
#include <optional>
#include <string>
#include <vector>

namespace nova {
struct ManifestInput {
  GraphOp core; // the core form of the whole run: signature and clauses
  std::vector<std::string> resultNames;
  mlir::StringAttr sequence, rows, past;                         // null where the graph cannot be extended
  std::vector<std::optional<unsigned>> argumentAxis, resultAxis; // of the sequence
  const Plan &plan;
  std::vector<TargetInfo> targets;
  std::string graphHash, semanticHash, versionHash;
};

/// JSON text, the same for equal inputs.
std::string writeManifest(const ManifestInput &input);
} // namespace nova

#endif
