//===- SessionRoom.cpp - Memory for the rows of a session -----------------===//

#include "runtime/core/Session.h"
#include "runtime/core/StateRows.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

namespace {

constexpr int64_t kFewestRows = 64;
// A window keeps so many rows more than its reach: kernels read whole panels and pages, which may begin before it.
constexpr int64_t kMargin = kPageRows;
// And so many more before rows are given up, for sessions that go back a little.
constexpr int64_t kSpareRows = kPageRows;

} // namespace

Status Session::makeRoom(const int64_t *dims) {
  const Sequence &sequence = owner->manifest().sequence;
  if (rowCount == 0)
    return makeFirstRoom(dims, Keep::All);
  if (Status status = checkLength(dims))
    return status;
  if (owes)
    if (Status status = charge(heldBytes()))
      return status;
  owes = false;
  return dims[sequence.whole] <= capacity ? Status::success() : growTo(dims);
}

Status Session::makeFirstRoom(const int64_t *dims, Keep keep) {
  if (Status status = checkLength(dims))
    return status;
  reset(); // what a session that went back to no rows still shares
  const std::vector<BufferSpec> &buffers = owner->manifest().buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].kind != BufferKind::State)
      continue;
    State &state = states[buffers[i].index];
    state.stride = state.room = 0;
    if (Status status = keepFrom(i, keep == Keep::All ? 0 : firstKept(i, dims), dims))
      return status;
  }
  Status status = growTo(dims);
  if (status)
    release();
  return status;
}

void Session::release() {
  reset();
  for (State &state : states) {
    state.memory.clear();
    state.next.clear();
  }
  (void)charge(0);
}

Status Session::checkLength(const int64_t *dims) const {
  const Sequence &sequence = owner->manifest().sequence;
  if (maxRows < 0 || dims[sequence.whole] <= maxRows)
    return Status::success();
  return fail(NOVA_CAPACITY_EXCEEDED, "the session's capacity is ", maxRows, " rows and its length ", rowCount,
              ", so there is no room for ", dims[sequence.rows], " more");
}

Status Session::growTo(const int64_t *dims) {
  if (!growTo(dims, Roomy::Yes))
    return Status::success();
  return growTo(dims, Roomy::No); // no room for rows to come: take what this call needs
}

Status Session::growTo(const int64_t *dims, Roomy roomy) {
  const std::vector<BufferSpec> &buffers = owner->manifest().buffers;
  std::copy_n(dims, sizing.size(), sizing.begin());
  growths.resize(buffers.size());
  int64_t more = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    growths[i] = {};
    if (buffers[i].kind == BufferKind::State) {
      if (Status status = planState(i, dims, roomy, growths[i]))
        return status;
    } else if (buffers[i].kind == BufferKind::Next) {
      if (Status status = planNext(i, growths[i]))
        return status;
    }
    more = addBytes(more, growths[i].more);
  }
  if (Status status = charge(addBytes(heldBytes(), more)))
    return status;
  capacity = 0; // where something fails it is looked at again by the next call
  int64_t least = INT64_MAX;
  Status status;
  for (size_t i = 0; i < buffers.size() && !status; ++i)
    if (buffers[i].kind == BufferKind::State || buffers[i].kind == BufferKind::Next) {
      status = grow(i, growths[i], dims);
      least = std::min(least, states[buffers[i].index].capacity());
    }
  sharedBytes = mappedBytes();
  if (Status settled = charge(heldBytes()); settled || status) // less than what was taken
    return status ? std::move(status) : std::move(settled);
  capacity = least;
  return Status::success();
}

/// How far back the rows to come look in the state; -1 for all the way.
static int64_t windowOf(const BufferSpec &buffer, const int64_t *dims) {
  int64_t window;
  return buffer.hasWindow && buffer.window.evaluate(dims, window) ? std::max<int64_t>(window, 0) : -1;
}

int64_t Session::firstKept(size_t buffer, const int64_t *dims, int64_t rows) const {
  int64_t window = windowOf(owner->manifest().buffers[buffer], dims);
  if (window < 0 || window >= rows - kMargin)
    return 0;
  return (rows - window - kMargin) / kPageRows * kPageRows;
}

int64_t Session::firstKept(size_t buffer, const int64_t *dims) const {
  return firstKept(buffer, dims, dims[owner->manifest().sequence.whole]);
}

int64_t Session::shortestAfter(size_t buffer) const {
  const BufferSpec &spec = owner->manifest().buffers[buffer];
  int64_t first = states[spec.index].firstRow;
  return first == 0 ? 0 : first + windowOf(spec, symbols.data()) + kMargin;
}

/// The bytes of a matrix that its rows before the multiple `row` of kPageRows take.
Status Session::bytesBefore(size_t buffer, int64_t row, const int64_t *dims, int64_t &bytes) const {
  StateRows rows;
  if (row > 0)
    if (Status status = StateRows::make(owner->manifest().buffers[buffer], dims, rows))
      return status;
  bytes = row > 0 ? rows.prefixOf(row) : 0;
  return Status::success();
}

Status Session::keepFrom(size_t buffer, int64_t row, const int64_t *dims) {
  State &state = states[owner->manifest().buffers[buffer].index];
  state.firstRow = row;
  return bytesBefore(buffer, row, dims, state.bytesBefore);
}

/// The matrices of a state with room for so many rows and the symbols in `sizing`.
Status Session::matricesFor(size_t buffer, int64_t rows, Matrices &matrices) {
  const Sequence &sequence = owner->manifest().sequence;
  sizing[sequence.whole] = sizing[sequence.rows] = rows;
  sizing[sequence.past] = 0;
  if (Status status = owner->findMatrices(buffer, sizing.data(), matrices))
    return status;
  if (matrices.stride >= kShareFrom && matrices.stride < INT64_MAX - kSystemPage) // so that a fork can map it
    matrices.stride = (matrices.stride + kSystemPage - 1) / kSystemPage * kSystemPage;
  return Status::success();
}

/// The bytes that memory of so many takes more, at most.
static int64_t moreThan(const Buffer &memory, int64_t needed) {
  const auto size = static_cast<int64_t>(memory.size());
  return needed > size ? addBytes(needed - size, kSystemPage) : 0;
}

Status Session::planState(size_t buffer, const int64_t *dims, Roomy roomy, Growth &growth) {
  const BufferSpec &spec = owner->manifest().buffers[buffer];
  const State &state = states[spec.index];
  const int64_t rows = dims[owner->manifest().sequence.whole];
  growth = {Growth::None, state.firstRow, state.room, 0, {0, 0}, {0, 0}, 0};
  if (state.room > 0 && rows <= state.capacity())
    return Status::success();

  const bool isWindow = windowOf(spec, dims) >= 0;
  growth.firstRow = std::max(state.firstRow, firstKept(buffer, dims, rowCount - kSpareRows));
  const int64_t kept = rowCount > 0 ? rowCount - growth.firstRow : 0;
  const int64_t wanted = rows - growth.firstRow, given = growth.firstRow - state.firstRow;
  int64_t room = wanted;
  if (roomy == Roomy::Yes) {
    if (!isWindow)
      room = std::max({room, initialRows, state.room + state.room / 2}); // a half more each time
    else if (kept > 0 && wanted <= INT64_MAX / 2)
      room += wanted / 2;
    room = std::max(room, kFewestRows);
    if (maxRows >= 0)
      room = std::clamp(maxRows - growth.firstRow, wanted, room);
  }
  if (rowCount > 0)
    if (Status status = matricesFor(buffer, rowCount - state.firstRow, growth.used))
      return status;
  if (Status status = bytesBefore(buffer, given, dims, growth.skipped))
    return status;
  // The rows that are given up make room enough, and moving those that are kept is worth it.
  const bool fits = given > 0 && wanted <= state.room && (roomy == Roomy::No || given >= kept / 4);
  if (fits && state.room / 2 <= room) {
    growth.kind = Growth::Slide;
    return Status::success();
  }
  growth.room = room;
  if (Status status = matricesFor(buffer, room, growth.needed))
    return status;
  // There may be more than is needed now, from a growth in which another state found no memory.
  if (rowCount > 0 && given == 0 && growth.needed.stride <= state.stride)
    return Status::success();
  growth.kind = Growth::Memory;
  growth.more = moreThan(state.memory, growth.needed.bytes());
  return Status::success();
}

Status Session::planNext(size_t buffer, Growth &growth) {
  const BufferSpec &spec = owner->manifest().buffers[buffer];
  if (Status status = matricesFor(buffer, 0, growth.needed))
    return status;
  growth.more = moreThan(states[spec.index].next, growth.needed.bytes());
  return Status::success();
}

Status Session::grow(size_t buffer, const Growth &growth, const int64_t *dims) {
  const BufferSpec &spec = owner->manifest().buffers[buffer];
  State &state = states[spec.index];
  auto noMemory = [&] {
    return fail(NOVA_OUT_OF_MEMORY, "cannot get ", growth.needed.bytes(), " bytes for the state ", spec.name, " of ",
                growth.room, " rows");
  };
  if (spec.kind == BufferKind::Next) {
    if (growth.needed.stride != state.stride)
      return fail(NOVA_MODULE_INVALID, "buffer ", spec.name, ": expected matrices of ", state.stride,
                  " bytes, as those of its state, found ", growth.needed.stride);
    state.isReplaced = true;
    return state.next.growDiscarding(static_cast<size_t>(growth.needed.bytes())) ? Status::success() : noMemory();
  }
  if (growth.kind == Growth::Slide)
    for (int64_t matrix = 0; matrix < growth.used.count; ++matrix) {
      char *begin = static_cast<char *>(state.memory.data()) + matrix * state.stride;
      std::memmove(begin, begin + growth.skipped, static_cast<size_t>(growth.used.stride - growth.skipped));
    }
  if (growth.kind == Growth::Memory && !moveRows(buffer, state, growth.skipped, growth.used, growth.needed))
    return noMemory();
  state.room = growth.room;
  return keepFrom(buffer, growth.firstRow, dims);
}

/// Gives the state matrices as `needed`, with what lies behind the first bytes of each matrix of `used`.
bool Session::moveRows(size_t buffer, State &state, int64_t skipped, const Matrices &used, const Matrices &needed) {
  if (rowCount == 0) {
    if (!state.memory.growDiscarding(static_cast<size_t>(needed.bytes())))
      return false;
  } else if (skipped == 0 && !state.hasSnapshot) {
    if (!state.memory.spread(static_cast<size_t>(needed.count), static_cast<size_t>(state.stride),
                             static_cast<size_t>(needed.stride)))
      return false;
  } else { // mappings cannot be moved as one
    State other;
    other.stride = needed.stride;
    if (!other.memory.growDiscarding(static_cast<size_t>(needed.bytes())))
      return false;
    if (skipped == 0 && !fillFrom(buffer, other, state, used))
      return false;
    for (int64_t matrix = 0; skipped > 0 && matrix < used.count; ++matrix)
      std::memcpy(static_cast<char *>(other.memory.data()) + matrix * other.stride,
                  static_cast<const char *>(state.memory.data()) + matrix * state.stride + skipped,
                  static_cast<size_t>(used.stride - skipped));
    state.memory = std::move(other.memory);
    state.hasSnapshot = other.hasSnapshot;
  }
  state.stride = needed.stride;
  return true;
}

Status Session::charge(int64_t bytes) {
  int64_t more = bytes - reservation.size();
  if (reservation.resize(bytes))
    return Status::success();
  if (snapshot && snapshot.use_count() == 1 && sharedBytes == 0) { // kept for forks to come
    snapshot.reset();
    snapshotRows = 0;
    if (reservation.resize(bytes))
      return Status::success();
  }
  return fail(NOVA_CAPACITY_EXCEEDED, "the budget of memory is ", reservation.budget()->limit(), " bytes, of which ",
              reservation.budget()->taken(), " are taken, so there is no room for ", more, " more");
}

/// What the budget counts.
int64_t Session::heldBytes() const {
  int64_t bytes = -sharedBytes;
  for (const State &state : states)
    bytes = addBytes(bytes, static_cast<int64_t>(state.memory.size() + state.next.size()));
  return bytes;
}

/// Of the states, the bytes that are mapped from the snapshot and that this session will not write.
int64_t Session::mappedBytes() const {
  const Manifest &manifest = owner->manifest();
  int64_t bytes = 0;
  for (size_t i = 0; i < manifest.buffers.size() && snapshot; ++i)
    if (manifest.buffers[i].kind == BufferKind::State && states[manifest.buffers[i].index].hasSnapshot)
      bytes += sharedPrefixOf(i) * snapshot->part(manifest.buffers[i].index).matrices;
  return bytes;
}
