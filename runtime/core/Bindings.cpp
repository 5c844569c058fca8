//===- Bindings.cpp - From which argument each symbol is found ------------===//

#include "runtime/core/Manifest.h"

using namespace nova::runtime;

namespace {

/// Finds an order in which each symbol is the only unknown of some argument's size, where it occurs linearly.
class BindingPlanner {
public:
  explicit BindingPlanner(Manifest &manifest) : manifest(manifest), known(manifest.symbols.size()) {
    if (manifest.hasSequence) // found from the sequence axes and the session
      for (uint32_t symbol : {manifest.sequence.whole, manifest.sequence.rows, manifest.sequence.past})
        known[symbol] = true;
  }

  Status plan() {
    // Sizes that are a symbol alone come first: theirs are the clearest messages. What params tell they tell for good.
    for (bool fromParams : {true, false})
      forEachSize([&](uint32_t argument, uint32_t axis, const Dim &size) {
        if (manifest.arguments[argument].isParam == fromParams && size.plainSymbol() >= 0 && !known[size.plainSymbol()])
          add({static_cast<uint32_t>(size.plainSymbol()), argument, axis, true, {}, {}});
        return false;
      });
    while (forEachSize(
        [&](uint32_t argument, uint32_t axis, const Dim &size) { return addLinear(argument, axis, size); })) {
    }
    for (size_t symbol = 0; symbol < known.size(); ++symbol)
      if (!known[symbol])
        return fail(NOVA_MODULE_INVALID, "manifest, symbols[", symbol, "]: no argument determines the symbol ",
                    manifest.symbols[symbol]);
    return Status::success();
  }

private:
  /// Visits every size of every argument; true if some visit said that it made progress.
  template <typename Visit> bool forEachSize(Visit visit) {
    bool progress = false;
    for (uint32_t argument = 0; argument < manifest.arguments.size(); ++argument)
      for (uint32_t axis = 0; axis < manifest.arguments[argument].dims.size(); ++axis)
        progress |= visit(argument, axis, manifest.arguments[argument].dims[axis]);
    return progress;
  }

  bool addLinear(uint32_t argument, uint32_t axis, const Dim &size) {
    int64_t unknown = -1;
    for (uint32_t symbol : size.symbols()) {
      if (known[symbol])
        continue;
      if (unknown >= 0 || size.degree(symbol) != 1)
        return false;
      unknown = symbol;
    }
    if (unknown < 0)
      return false;
    Binding binding{static_cast<uint32_t>(unknown), argument, axis, false, {}, {}};
    size.splitLinear(binding.symbol, binding.factor, binding.rest);
    add(std::move(binding));
    return true;
  }

  void add(Binding binding) {
    known[binding.symbol] = true;
    manifest.bindings.push_back(std::move(binding));
  }

  Manifest &manifest;
  std::vector<bool> known;
};

} // namespace

Status nova::runtime::planBindings(Manifest &manifest) { return BindingPlanner(manifest).plan(); }
