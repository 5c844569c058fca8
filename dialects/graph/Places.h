// Where something stands in a text: in a file, and in words that survive the passes.
#ifndef NOVA_DIALECTS_GRAPH_PLACES_H
#define NOVA_DIALECTS_GRAPH_PLACES_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace nova {
/// The place in a text behind a location, or null: names and call sites are looked through.
mlir::FileLineColLoc findFileLocation(mlir::Location location);

/// The location of `op` that also says what errors of a run call it: `%e of @cell`, whatever is made of it and wherever
/// that goes. For a scan that is its first name alone.
mlir::Location describedLocation(mlir::Operation *op);
/// What errors of a run call an operation: `g.nova:3:8: %e of @cell`. The file is named without its folder, so that the
/// text, which modules hold, is the same on every machine; without one it is `%e of @cell`.
std::string placeText(mlir::Operation *op);
/// What they call a scan: `the scan %Y`.
std::string scanText(mlir::Operation *scan);
} // namespace nova

#endif
