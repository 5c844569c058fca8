#include "tools/nova/Signature.h"
#include "dialects/graph/Text.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nova::tool {
std::string signatureText(GraphOp graph) {
  std::string text;
  raw_string_ostream os(text);
  os << "graph @" << graph.getSymName();
  if (!graph.getTypeParams().empty()) {
    os << "<";
    interleaveComma(graph.getTypeParams(), os, [&](mlir::Attribute a) {
      auto param = mlir::cast<TypeParamAttr>(a);
      os << param.getName().getValue() << ": " << param.getKind().getValue() << " = "
         << elementText(param.getFallback());
    });
    os << ">";
  }
  os << "(";
  for (unsigned i = 0; i < graph.getNumGraphArguments(); i++)
    os << (i ? ", " : "") << (graph.isParam(i) ? "param %" : "%") << graph.getArgName(i) << ": "
       << toString(mlir::Type(graph.getArgumentType(i)));
  os << ") -> ";
  unsigned results = graph.getNumGraphResults();
  os << (results == 1 ? "" : "(");
  for (unsigned i = 0; i < results; i++)
    os << (i ? ", " : "") << toString(mlir::Type(graph.getResultType(i)));
  os << (results == 1 ? "" : ")");
  if (!graph.getClauses().empty()) {
    os << " where ";
    interleaveComma(graph.getClauses(), os,
                    [&](mlir::Attribute clause) { os << toString(mlir::cast<ClauseAttr>(clause)); });
  }
  return text;
}
} // namespace nova::tool
