//===- ModuleInstance.cpp -------------------------------------------------===//

#include "runtime/core/ModuleInstance.h"
#include "runtime/core/EntryCheck.h"

using namespace nova::runtime;

Status ModuleInstance::bind(std::shared_ptr<const Module> module, const nova_tensor_t *params, size_t count,
                            std::shared_ptr<ModuleInstance> &instance) {
  auto bound = std::make_shared<ModuleInstance>();
  bound->owner = std::move(module);
  bound->symbols.resize(bound->owner->manifest().symbols.size());
  if (Status status = checkParams(bound->owner->manifest(), params, count, bound->symbols.data()))
    return status;
  bound->keep(params);
  if (Status status = bound->placeBuffers())
    return status;
  bound->prepareBytes = bound->bytesOf(Stage::Prepare);
  bound->runBytes = bound->bytesOf(Stage::Run);
  instance = std::move(bound);
  return Status::success();
}

/// Copies the tensors with their sizes; the elements stay the caller's.
void ModuleInstance::keep(const nova_tensor_t *params) {
  tensors.assign(params, params + owner->manifest().params);
  size_t count = 0;
  for (const nova_tensor_t &tensor : tensors)
    count += static_cast<size_t>(tensor.rank);
  sizes.reserve(count); // so that the addresses stay
  for (nova_tensor_t &tensor : tensors) {
    const int64_t *given = tensor.dims;
    tensor.dims = sizes.data() + sizes.size();
    sizes.insert(sizes.end(), given, given + tensor.rank);
  }
}

Status ModuleInstance::placeBuffers() {
  int64_t bytes = 0;
  const std::vector<BufferSpec> &buffers = owner->manifest().buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].kind != BufferKind::Prepared)
      continue;
    Place &place = places.emplace_back(); // in the order of their indices
    if (Status status = owner->findMatrices(i, symbols.data(), place.matrices))
      return status;
    place.offset = bytes;
    bytes = addBytes(bytes, place.matrices.bytes());
  }
  if (!memory.growDiscarding(static_cast<size_t>(bytes)))
    return fail(NOVA_OUT_OF_MEMORY, "cannot get ", bytes, " bytes for what is prepared from the params");
  return Status::success();
}

double ModuleInstance::bytesOf(Stage stage) const {
  const Manifest &manifest = owner->manifest();
  std::vector<bool> used(manifest.buffers.size());
  for (const Step &step : manifest.stepsOf(stage))
    for (const StepBuffer &given : step.buffers)
      used[given.buffer] = true;
  double bytes = 0;
  for (size_t i = 0; i < used.size(); ++i) {
    const BufferSpec &buffer = manifest.buffers[i];
    if (!used[i])
      continue;
    if (buffer.kind == BufferKind::Prepared)
      bytes += static_cast<double>(matrices(buffer.index).bytes());
    else if (buffer.kind == BufferKind::Argument && manifest.arguments[buffer.index].isParam)
      bytes += static_cast<double>(checkedBytes(tensors[manifest.arguments[buffer.index].position]));
  }
  return bytes;
}
