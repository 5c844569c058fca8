//===- Module.cpp ---------------------------------------------------------===//

#include "runtime/core/Module.h"
#include "runtime/core/Digest.h"
#include "runtime/core/ElfFile.h"
#include "runtime/core/Target.h"

#include <algorithm>

using namespace nova::runtime;

Status Module::check(std::string_view bytes, Manifest &manifest, std::string_view &manifestText) {
  ModuleSections sections;
  std::string problem;
  if (!findModuleSections(bytes, sections, problem))
    return fail(NOVA_MODULE_DAMAGED, "not a module: ", problem);
  if (!digestMatches(bytes, sections.digestOffset))
    return fail(NOVA_MODULE_DAMAGED, "the module is damaged: its digest does not match its bytes");
  manifestText = bytes.substr(sections.manifestOffset, sections.manifestSize);
  return parseManifest(manifestText, manifest);
}

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The index of the target to run: the named one, else the best.
static Status chooseTarget(const std::vector<std::string> &targets, const char *wanted, size_t &index) {
  if (!wanted) {
    int best = bestTarget(targets);
    if (best < 0)
      return fail(NOVA_TARGET_UNSUPPORTED, "this cpu runs none of the module's targets: ", joined(targets));
    index = static_cast<size_t>(best);
    return Status::success();
  }
  auto found = std::find(targets.begin(), targets.end(), wanted);
  if (found == targets.end())
    return fail(NOVA_TARGET_UNSUPPORTED, "the module has no code for the target ", wanted, ", only for ",
                joined(targets));
  if (!targetSupported(wanted))
    return fail(NOVA_TARGET_UNSUPPORTED, "this cpu does not run the target ", wanted);
  index = static_cast<size_t>(found - targets.begin());
  return Status::success();
}

Status Module::load(std::string_view bytes, const char *target, std::shared_ptr<const Module> &module) {
  auto loaded = std::make_shared<Module>();
  std::string_view manifestText;
  if (Status status = check(bytes, loaded->description, manifestText))
    return status;
  loaded->text = manifestText;
  if (Status status = chooseTarget(loaded->description.targets, target, loaded->targetIndex))
    return status;
  if (Status status = loaded->object.open(bytes))
    return status;
  if (Status status = loaded->resolve())
    return status;
  module = std::move(loaded);
  return Status::success();
}

Status Module::find(const std::string &symbol, void *&address) const {
  address = object.find(symbol.c_str());
  return address ? Status::success()
                 : fail(NOVA_MODULE_INVALID, "the module has no symbol ", symbol, ", which its manifest names");
}

Status Module::resolveSteps(const std::vector<Step> &steps, std::vector<StepCode> &codes) const {
  void *address = nullptr;
  for (const Step &step : steps) {
    StepCode code{};
    for (size_t i = 0; i < step.entries.size(); ++i) { // all targets', so that a bad module is bad on every machine
      if (Status status = find(step.entries[i], address))
        return status;
      if (i == targetIndex)
        code.kernel = reinterpret_cast<Kernel>(address);
    }
    if (!step.scratch.empty()) {
      if (Status status = find(step.scratch, address))
        return status;
      code.scratch = reinterpret_cast<ScratchFunction>(address);
    }
    if (!step.libraryShapes.empty()) {
      if (Status status = find(step.libraryShapes, address))
        return status;
      code.shapes = reinterpret_cast<ShapesFunction>(address);
    }
    codes.push_back(code);
  }
  return Status::success();
}

Status Module::resolve() {
  if (Status status = resolveSteps(description.prepare, prepareCode))
    return status;
  if (Status status = resolveSteps(description.steps, stepCode))
    return status;
  for (const BufferSpec &buffer : description.buffers) {
    void *address = nullptr;
    if (!buffer.symbol.empty())
      if (Status status = find(buffer.symbol, address))
        return status;
    bool isConstant = buffer.kind == BufferKind::Constant;
    bytesFunctions.push_back(isConstant ? nullptr : reinterpret_cast<BytesFunction>(address));
    constantData.push_back(isConstant ? address : nullptr);
  }
  return Status::success();
}

static Status tooLarge(const BufferSpec &buffer) {
  return fail(NOVA_OUT_OF_MEMORY, "the size of buffer ", buffer.name, " is more than 63 bits hold");
}

Status Module::countMatrices(size_t buffer, const int64_t *dims, int64_t &count) const {
  const BufferSpec &spec = description.buffers[buffer];
  if (!spec.count.evaluate(dims, count))
    return tooLarge(spec);
  if (count < 0)
    return fail(NOVA_MODULE_INVALID, "buffer ", spec.name, ": expected the count ", spec.count.text(),
                " to be 0 or more, found ", count);
  return Status::success();
}

#if defined(__clang__)
// Generated code carries no type signature in front of its functions for the sanitizer to look at.
__attribute__((no_sanitize("function")))
#endif
Status
Module::findMatrices(size_t buffer, const int64_t *dims, Matrices &matrices) const {
  int64_t bytes = bytesFunctions[buffer](dims);
  if (bytes < 0)
    return tooLarge(description.buffers[buffer]);
  matrices.stride = alignedBytes(bytes);
  return countMatrices(buffer, dims, matrices.count);
}
