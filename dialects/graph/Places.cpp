#include "dialects/graph/Places.h"
#include "dialects/graph/NovaDialect.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nova {
FileLineColLoc findFileLocation(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto named = dyn_cast<NameLoc>(location))
    return findFileLocation(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return findFileLocation(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc file = findFileLocation(part))
        return file;
  return {};
}

// A description is the metadata of a FusedLoc, below the names of the values (OpText.h), which passes take away.
static StringAttr findDescription(Location location) {
  if (auto described = dyn_cast<FusedLocWith<StringAttr>>(location))
    return described.getMetadata();
  if (auto named = dyn_cast<NameLoc>(location))
    return findDescription(named.getChildLoc());
  if (auto names = dyn_cast<FusedLocWith<ArrayAttr>>(location))
    return findDescription(names.getLocations().front());
  return {};
}

static Location describe(Location location, StringAttr text) {
  if (auto named = dyn_cast<NameLoc>(location))
    return NameLoc::get(named.getName(), describe(named.getChildLoc(), text));
  if (auto names = dyn_cast<FusedLocWith<ArrayAttr>>(location))
    return FusedLoc::get({describe(names.getLocations().front(), text)}, names.getMetadata(), location.getContext());
  return FusedLoc::get({location}, text, location.getContext());
}

static std::string description(Operation *op) {
  if (StringAttr known = findDescription(op->getLoc()))
    return known.str();
  std::string text;
  for (Value result : op->getResults())
    if (text.empty())
      text = valueName(result);
  if (isa<ScanOp>(op))
    return text;
  if (text.empty())
    text = op->getName().stripDialect().str();
  auto graph = op->getParentOfType<GraphOp>();
  return graph ? text + " of @" + graph.getSymName().str() : text;
}

Location describedLocation(Operation *op) {
  return describe(op->getLoc(), StringAttr::get(op->getContext(), description(op)));
}

std::string placeText(Operation *op) {
  std::string text = description(op);
  FileLineColLoc file = findFileLocation(op->getLoc());
  if (!file)
    return text;
  return (llvm::sys::path::filename(file.getFilename()) + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn()) +
          ": " + text)
      .str();
}

std::string scanText(Operation *scan) {
  std::string name = description(scan);
  return name.empty() ? "a scan" : "the scan " + name;
}
} // namespace nova
