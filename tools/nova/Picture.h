// What the compiler knows of a graph, as one SVG: the masks' tiles and how row i reads each value.
#ifndef NOVA_TOOLS_NOVA_PICTURE_H
#define NOVA_TOOLS_NOVA_PICTURE_H

#include "compiler/analysis/Dependence.h"
#include "llvm/Support/Error.h"

namespace nova::tool {
struct PictureSource {
  GraphOp graph; // as it is written
  GraphOp core;
  const Dependence &dependence; // of `core`; says why there is no extend
  std::string state;            // of the extend, in one line; "" for none
  /// A value for every symbol of the graph.
  Bindings sizes;
  /// Begins the message of an error.
  std::string option;
};

/// The document's text. An error where a mask is too large to be drawn at these sizes.
llvm::Expected<std::string> drawPicture(const PictureSource &source);
} // namespace nova::tool

#endif
