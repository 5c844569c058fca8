//===- Session.cpp --------------------------------------------------------===//

#include "runtime/core/Session.h"
#include "runtime/core/StateRows.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

constexpr int64_t kFewestRows = 64;
// Matrices of a state that are smaller are copied sooner than they are mapped.
constexpr int64_t kShareFrom = 64 << 10;

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

bool Session::grow(size_t buffer, State &state, const Matrices &needed) const {
  if (rowCount == 0) {
    if (state.hasSnapshot) // leave it to the sessions that have rows there
      state.memory.clear();
    state.hasSnapshot = false;
    if (!state.memory.growDiscarding(static_cast<size_t>(needed.bytes())))
      return false;
  } else {
    // There may be more than is needed now, from a growth in which another state found no memory.
    if (needed.stride <= state.stride)
      return true;
    if (state.hasSnapshot)
      return growApart(buffer, state, needed);
    if (!state.memory.spread(static_cast<size_t>(needed.count), static_cast<size_t>(state.stride),
                             static_cast<size_t>(needed.stride)))
      return false;
  }
  state.stride = needed.stride;
  return true;
}

/// Grows where mappings lie, which cannot be moved as one.
bool Session::growApart(size_t buffer, State &state, const Matrices &needed) const {
  Matrices used;
  if (Status status = owner->findMatrices(buffer, wholeDims().data(), used))
    return false;
  State larger;
  larger.stride = needed.stride;
  if (!larger.memory.growDiscarding(static_cast<size_t>(needed.bytes())) || !fillFrom(buffer, larger, state, used))
    return false;
  state = std::move(larger);
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
    if (needed.stride >= kShareFrom && needed.stride < INT64_MAX - kSystemPage) // so that a fork can map it
      needed.stride = (needed.stride + kSystemPage - 1) / kSystemPage * kSystemPage;
    if (kind == BufferKind::Next) { // behind its state
      if (Status status = growNext(states[manifest.buffers[i].index], manifest.buffers[i], needed))
        return status;
      continue;
    }
    State &state = states[manifest.buffers[i].index];
    if (!grow(i, state, needed))
      return fail(NOVA_OUT_OF_MEMORY, "cannot get ", needed.bytes(), " bytes for the state ", manifest.buffers[i].name,
                  " of ", rows, " rows");
  }
  capacity = rows;
  return Status::success();
}

int64_t Session::bytesHeld() const {
  const Manifest &manifest = owner->manifest();
  const std::vector<int64_t> dims = wholeDims();
  int64_t bytes = 0;
  for (size_t i = 0; i < manifest.buffers.size() && rowCount > 0; ++i) {
    Matrices used;
    if (manifest.buffers[i].kind == BufferKind::State && !owner->findMatrices(i, dims.data(), used))
      bytes = addBytes(bytes, used.bytes());
  }
  return bytes;
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

void Session::reset() {
  rowCount = 0;
  snapshot.reset();
}

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
  snapshotRows = std::min(snapshotRows, length);
  rowCount = length; // what lies behind them is written again before it is read
  return Status::success();
}

/// The bytes of each matrix of a state that these first rows fill alone, in whole pages of the system.
int64_t Session::prefixOf(size_t buffer, int64_t rows) const {
  const BufferSpec &spec = owner->manifest().buffers[buffer];
  StateRows whole;
  if (!spec.isDescribed || !states[spec.index].memory.isMapped() || states[spec.index].isReplaced ||
      states[spec.index].stride < kShareFrom)
    return 0;
  if (Status status = StateRows::make(spec, wholeDims().data(), whole))
    return 0;
  return whole.prefixOf(rows) / kSystemPage * kSystemPage;
}

/// Puts most of the rows where other sessions can have them too. Without memory for that nothing happens.
void Session::takeSnapshot() {
  if (snapshot && snapshotRows >= rowCount - rowCount / 4)
    return;
  const Manifest &manifest = owner->manifest();
  std::vector<Snapshot::Part> parts(states.size());
  int64_t bytes = 0;
  for (size_t i = 0; i < manifest.buffers.size(); ++i)
    if (manifest.buffers[i].kind == BufferKind::State) {
      Snapshot::Part &part = parts[manifest.buffers[i].index];
      part.prefix = prefixOf(i, rowCount);
      if (Status status = owner->countMatrices(i, symbols.data(), part.matrices))
        return;
      bytes += part.prefix * part.matrices; // at most what there is
    }
  if (bytes < kShareFrom)
    return;
  std::shared_ptr<Snapshot> made = Snapshot::make(std::move(parts));
  for (uint32_t state = 0; made && state < states.size(); ++state)
    for (int64_t matrix = 0; made && matrix < made->part(state).matrices; ++matrix)
      if (!made->write(state, matrix, static_cast<char *>(states[state].memory.data()) + matrix * states[state].stride))
        made.reset();
  if (!made)
    return;
  snapshot = std::move(made);
  snapshotRows = rowCount;
}

/// Gives `state`, which has room, the bytes in use of `source`: from the snapshot what is there.
bool Session::fillFrom(size_t buffer, State &state, const State &source, const Matrices &used) const {
  uint32_t index = owner->manifest().buffers[buffer].index;
  int64_t prefix = 0;
  if (snapshot && state.memory.isMapped() && state.stride % kSystemPage == 0)
    prefix = std::min(snapshot->part(index).prefix, prefixOf(buffer, snapshotRows));
  for (int64_t matrix = 0; matrix < used.count; ++matrix) {
    char *to = static_cast<char *>(state.memory.data()) + matrix * state.stride;
    const char *from = static_cast<const char *>(source.memory.data()) + matrix * source.stride;
    if (prefix > 0 && !snapshot->map(index, matrix, prefix, to))
      return false;
    state.hasSnapshot |= prefix > 0;
    std::memcpy(to + prefix, from + prefix, static_cast<size_t>(used.stride - prefix));
  }
  return true;
}

Status Session::copyFrom(Session &other) {
  if (other.rowCount == 0)
    return Status::success();
  other.takeSnapshot();
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
    state.isReplaced = source.isReplaced;
    state.stride = source.stride;
    if (!state.memory.growDiscarding(source.memory.size()) ||
        (source.isReplaced && !state.next.growDiscarding(source.next.size())) ||
        !other.fillFrom(i, state, source, used))
      return fail(NOVA_OUT_OF_MEMORY, "cannot get ", source.memory.size(), " bytes for the state ", buffer.name);
  }
  symbols = other.symbols;
  capacity = other.capacity;
  rowCount = other.rowCount;
  snapshot = other.snapshot;
  snapshotRows = other.snapshotRows;
  return Status::success();
}
