//===- Session.cpp --------------------------------------------------------===//

#include "runtime/core/Session.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

constexpr int64_t kFewestRows = 64;

Session::Session(std::shared_ptr<const Module> module, std::shared_ptr<const ModuleInstance> instance,
                 int64_t initialRows, int64_t maxRows)
    : owner(std::move(module)), bound(std::move(instance)), initialRows(initialRows), maxRows(maxRows),
      symbols(owner->manifest().symbols.size()), sizing(symbols.size()), states(owner->manifest().states) {}

Status Session::makeRoom(const int64_t *dims) {
  const Sequence &sequence = owner->manifest().sequence;
  int64_t rows = dims[sequence.whole];
  if (maxRows >= 0 && rows > maxRows)
    return fail(NOVA_CAPACITY_EXCEEDED, "the session's capacity is ", maxRows, " rows and its length ", rowCount,
                ", so there is no room for ", dims[sequence.rows], " more");
  if (rowCount > 0 && rows <= capacity)
    return Status::success();
  int64_t roomy = std::max({rows, initialRows, kFewestRows});
  if (rowCount > 0 && capacity <= INT64_MAX / 2) // a half more each time
    roomy = std::max(roomy, capacity + capacity / 2);
  if (maxRows >= 0)
    roomy = std::min(roomy, maxRows);
  Status status = growTo(roomy, dims);
  if (status && roomy > rows) // no room for rows to come: take what this call needs
    status = growTo(rows, dims);
  return status;
}

bool Session::grow(State &state, const Matrices &needed) const {
  if (rowCount == 0) {
    if (!state.memory.growDiscarding(static_cast<size_t>(needed.bytes())))
      return false;
  } else {
    // There may be more than is needed now, from a growth in which another state found no memory.
    if (needed.stride <= state.stride)
      return true;
    if (!state.memory.spread(static_cast<size_t>(needed.count), static_cast<size_t>(state.stride),
                             static_cast<size_t>(needed.stride)))
      return false;
  }
  state.stride = needed.stride;
  return true;
}

Status Session::growNext(State &state, const BufferSpec &buffer, const Matrices &needed) const {
  if (needed.stride != state.stride)
    return fail(NOVA_MODULE_INVALID, "buffer ", buffer.name, ": expected matrices of ", state.stride,
                " bytes, as those of its state, found ", needed.stride);
  state.isReplaced = true;
  if (state.next.growDiscarding(static_cast<size_t>(needed.bytes())))
    return Status::success();
  return fail(NOVA_OUT_OF_MEMORY, "cannot get ", needed.bytes(), " bytes for the state ", buffer.name);
}

Status Session::growTo(int64_t rows, const int64_t *dims) {
  const Manifest &manifest = owner->manifest();
  std::copy_n(dims, sizing.size(), sizing.begin());
  sizing[manifest.sequence.whole] = sizing[manifest.sequence.rows] = rows;
  sizing[manifest.sequence.past] = 0;
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    BufferKind kind = manifest.buffers[i].kind;
    if (kind != BufferKind::State && kind != BufferKind::Next)
      continue;
    Matrices needed;
    if (Status status = owner->findMatrices(i, sizing.data(), needed))
      return status;
    if (kind == BufferKind::Next) { // behind its state
      if (Status status = growNext(states[manifest.buffers[i].index], manifest.buffers[i], needed))
        return status;
      continue;
    }
    State &state = states[manifest.buffers[i].index];
    if (!grow(state, needed))
      return fail(NOVA_OUT_OF_MEMORY, "cannot get ", needed.bytes(), " bytes for the state ", manifest.buffers[i].name,
                  " of ", rows, " rows");
  }
  capacity = rows;
  return Status::success();
}

int64_t Session::bytesInUse(int64_t rows) const {
  double bytes = 0;
  for (const State &state : states)
    bytes += static_cast<double>(state.memory.size());
  return static_cast<int64_t>(bytes * static_cast<double>(rows) / static_cast<double>(std::max<int64_t>(capacity, 1)));
}

std::vector<int64_t> Session::wholeDims() const {
  std::vector<int64_t> dims(symbols.size());
  if (rowCount == 0)
    return dims;
  const Sequence &sequence = owner->manifest().sequence;
  dims = symbols;
  dims[sequence.whole] = dims[sequence.rows] = rowCount;
  dims[sequence.past] = 0;
  return dims;
}

void Session::adopt(const int64_t *dims) {
  std::copy_n(dims, symbols.size(), symbols.begin());
  rowCount = dims[owner->manifest().sequence.whole];
}

void Session::advance(const int64_t *dims) {
  adopt(dims);
  for (State &state : states)
    if (state.isReplaced)
      std::swap(state.memory, state.next);
}

void Session::reset() { rowCount = 0; }

Status Session::rewind(int64_t length) {
  if (length < 0 || length > rowCount)
    return fail(NOVA_INVALID_ARGUMENT, "expected a length of 0 .. ", rowCount,
                ", the rows that the session holds, found ", length);
  if (length > 0 && length < rowCount)
    for (const BufferSpec &buffer : owner->manifest().buffers)
      if (buffer.kind == BufferKind::State && states[buffer.index].isReplaced)
        return fail(NOVA_INVALID_ARGUMENT, "the state ", buffer.name,
                    " holds what follows from all rows, so the session cannot go back to ", length, " of its ",
                    rowCount);
  rowCount = length; // what lies behind them is written again before it is read
  return Status::success();
}

Status Session::copyFrom(const Session &other) {
  if (other.rowCount == 0)
    return Status::success();
  symbols = other.symbols;
  sizing = other.wholeDims();
  for (size_t i = 0; i < owner->manifest().buffers.size(); ++i) {
    const BufferSpec &buffer = owner->manifest().buffers[i];
    if (buffer.kind != BufferKind::State)
      continue;
    const State &source = other.states[buffer.index];
    State &state = states[buffer.index];
    Matrices used;
    if (Status status = owner->findMatrices(i, sizing.data(), used))
      return status;
    if (!state.memory.growDiscarding(source.memory.size()) ||
        (source.isReplaced && !state.next.growDiscarding(source.next.size())))
      return fail(NOVA_OUT_OF_MEMORY, "cannot get ", source.memory.size(), " bytes for the state ", buffer.name);
    state.isReplaced = source.isReplaced;
    state.stride = source.stride;
    for (int64_t matrix = 0; matrix < used.count; ++matrix)
      std::memcpy(static_cast<char *>(state.memory.data()) + matrix * state.stride,
                  static_cast<const char *>(source.memory.data()) + matrix * state.stride,
                  static_cast<size_t>(used.stride));
  }
  capacity = other.capacity;
  rowCount = other.rowCount;
  return Status::success();
}
