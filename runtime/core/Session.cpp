//===- Session.cpp --------------------------------------------------------===//

#include "runtime/core/Session.h"
#include "runtime/core/StateRows.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

Session::Session(std::shared_ptr<const Module> module, std::shared_ptr<const ModuleInstance> instance,
                 int64_t initialRows, int64_t maxRows, std::shared_ptr<Budget> budget)
    : owner(std::move(module)), bound(std::move(instance)), initialRows(initialRows), maxRows(maxRows),
      symbols(owner->manifest().symbols.size()), sizing(symbols.size()), states(owner->manifest().states),
      reservation(std::move(budget)) {}

int64_t Session::bytesHeld() const {
  const Manifest &manifest = owner->manifest();
  std::vector<int64_t> dims = wholeDims();
  int64_t bytes = 0;
  for (size_t i = 0; i < manifest.buffers.size() && rowCount > 0; ++i) {
    if (manifest.buffers[i].kind != BufferKind::State)
      continue;
    Matrices used;
    dims[manifest.sequence.whole] = dims[manifest.sequence.rows] =
        rowCount - states[manifest.buffers[i].index].firstRow;
    if (!owner->findMatrices(i, dims.data(), used))
      bytes = addBytes(bytes, used.bytes());
  }
  return bytes;
}

int64_t Session::bytesInUse(int64_t rows) const {
  double bytes = 0;
  for (const State &state : states)
    bytes += static_cast<double>(state.memory.size()) * static_cast<double>(rows - state.firstRow) /
             static_cast<double>(std::max<int64_t>(state.room, 1));
  return static_cast<int64_t>(bytes);
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
  snapshotRows = sharedBytes = 0;
  owes = false;
  for (State &state : states)
    if (state.hasSnapshot) { // leave it to the sessions that have rows there
      state.memory.clear();
      state.hasSnapshot = false;
    }
  (void)charge(heldBytes()); // no more than before
}

Status Session::rewind(int64_t length) {
  if (length < 0 || length > rowCount)
    return fail(NOVA_INVALID_ARGUMENT, "expected a length of 0 .. ", rowCount,
                ", the rows that the session holds, found ", length);
  const std::vector<BufferSpec> &buffers = owner->manifest().buffers;
  for (size_t i = 0; i < buffers.size() && length > 0 && length < rowCount; ++i) {
    if (buffers[i].kind != BufferKind::State)
      continue;
    if (states[buffers[i].index].isReplaced)
      return fail(NOVA_INVALID_ARGUMENT, "the state ", buffers[i].name,
                  " holds what follows from all rows, so the session cannot go back to ", length, " of its ", rowCount);
    if (int64_t shortest = shortestAfter(i); length < shortest)
      return fail(NOVA_INVALID_ARGUMENT, "the state ", buffers[i].name,
                  " keeps the last rows only, so the session can go back to ", shortest, " of its ", rowCount,
                  " rows at the most, found ", length);
  }
  snapshotRows = std::min(snapshotRows, length);
  sharedBytes = mappedBytes();
  owes = true;       // pages that are written now become the session's own
  rowCount = length; // what lies behind them is written again before it is read
  return Status::success();
}

/// The bytes of each matrix of a state that these first rows fill alone, in whole pages of the system.
int64_t Session::prefixOf(size_t buffer, int64_t rows) const {
  const BufferSpec &spec = owner->manifest().buffers[buffer];
  StateRows whole;
  if (!spec.isDescribed || !states[spec.index].memory.isMapped() || states[spec.index].isReplaced ||
      states[spec.index].stride < kShareFrom || states[spec.index].firstRow > 0)
    return 0;
  if (Status status = StateRows::make(spec, wholeDims().data(), whole))
    return 0;
  return whole.prefixOf(rows) / kSystemPage * kSystemPage;
}

/// The bytes of each matrix of a state that another session can map from the snapshot.
int64_t Session::sharedPrefixOf(size_t buffer) const {
  const BufferSpec &spec = owner->manifest().buffers[buffer];
  if (!snapshot || states[spec.index].stride % kSystemPage != 0)
    return 0;
  return std::min(snapshot->part(spec.index).prefix, prefixOf(buffer, snapshotRows));
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
  std::shared_ptr<Snapshot> made = Snapshot::make(std::move(parts), reservation.budget());
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
  const int64_t prefix = state.memory.isMapped() && state.stride % kSystemPage == 0 ? sharedPrefixOf(buffer) : 0;
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
  const std::shared_ptr<const Snapshot> earlier = other.snapshot;
  const int64_t earlierRows = other.snapshotRows;
  other.takeSnapshot();
  const std::vector<BufferSpec> &buffers = owner->manifest().buffers;
  snapshot = other.snapshot;
  snapshotRows = other.snapshotRows;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].kind == BufferKind::State)
      if (Status status = copyState(i, other)) {
        other.snapshot = earlier; // what was taken for this copy goes with it
        other.snapshotRows = earlierRows;
        return status;
      }
  symbols = other.symbols;
  capacity = other.capacity;
  rowCount = other.rowCount;
  return Status::success();
}

Status Session::copyState(size_t buffer, const Session &other) {
  const BufferSpec &spec = owner->manifest().buffers[buffer];
  const State &source = other.states[spec.index];
  State &state = states[spec.index];
  std::copy_n(other.symbols.begin(), sizing.size(), sizing.begin());
  Matrices used;
  if (Status status = matricesFor(buffer, other.rowCount - source.firstRow, used))
    return status;
  sharedBytes += other.sharedPrefixOf(buffer) * used.count;
  if (Status status = charge(addBytes(heldBytes(), static_cast<int64_t>(source.memory.size() + source.next.size()))))
    return status;
  state.isReplaced = source.isReplaced;
  state.stride = source.stride;
  state.firstRow = source.firstRow;
  state.bytesBefore = source.bytesBefore;
  state.room = source.room;
  if (!state.memory.growDiscarding(source.memory.size()) ||
      (source.isReplaced && !state.next.growDiscarding(source.next.size())) ||
      !other.fillFrom(buffer, state, source, used))
    return fail(NOVA_OUT_OF_MEMORY, "cannot get ", source.memory.size(), " bytes for the state ", spec.name);
  return Status::success();
}
