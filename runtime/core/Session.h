//===- Session.h - The state of a sequence fed in pieces --------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_SESSION_H
#define NOVA_RUNTIME_CORE_SESSION_H

#include "runtime/core/Budget.h"
#include "runtime/core/Buffer.h"
#include "runtime/core/EntryCheck.h"
#include "runtime/core/ModuleInstance.h"
#include "runtime/core/Snapshot.h"

#include <atomic>
#include <memory>
#include <vector>

namespace nova::runtime {

/// Holds the state buffers of `length` rows, with room for more. The room grows geometrically, so that feeding single
/// rows copies each row a bounded number of times. Of a state with a window only rows that can still be read are kept:
/// from time to time they are moved to the beginning of its memory.
class Session {
public:
  /// `instance` is one of the module; null where the module has no params.
  Session(std::shared_ptr<const Module> module, std::shared_ptr<const ModuleInstance> instance, int64_t initialRows,
          int64_t maxRows, std::shared_ptr<Budget> budget);

  const std::shared_ptr<const Module> &module() const { return owner; }
  const ModuleInstance *instance() const { return bound.get(); }
  int64_t length() const { return rowCount; }

  /// The bytes of state that the rows held take, with what pads them.
  int64_t bytesHeld() const;

  /// What the entry check has to know. The pointer in it lives until the next call that changes the session.
  SessionSizes sizes() const { return {rowCount, rowCount > 0 ? symbols.data() : nullptr}; }

  /// Makes room for the rows of a checked call with the symbols `dims`. The rows held stay as they are. Failures are
  /// NOVA_CAPACITY_EXCEEDED and NOVA_OUT_OF_MEMORY; the session then holds what it held.
  Status makeRoom(const int64_t *dims);

  /// Which rows of a session that is filled at once get memory.
  enum class Keep { All, Needed };

  /// The same for a session without rows; with Keep::Needed for those only that firstKept does not leave out.
  Status makeFirstRoom(const int64_t *dims, Keep keep);

  /// The first row of the state in this buffer of the module that a session with the symbols `dims`, its rows as the
  /// whole, still needs, a multiple of kPageRows; what lies before it may be missing.
  int64_t firstKept(size_t buffer, const int64_t *dims) const;

  /// Where row 0 of the state with this index among the module's states is, or would be, if it is not kept.
  void *state(uint32_t index) const {
    return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(states[index].memory.data()) -
                                    static_cast<uintptr_t>(states[index].bytesBefore));
  }
  /// That of the buffer that takes its place when a call succeeds; null where it has none.
  void *next(uint32_t index) const { return states[index].next.data(); }
  /// The bytes from one of its matrices to the next.
  int64_t stateStride(uint32_t index) const { return states[index].stride; }

  /// The bytes of state that the rows of a call reach, for the estimate of its work.
  int64_t bytesInUse(int64_t rows) const;

  /// The symbols of the rows held as those of one whole run; all 0 where there are none.
  std::vector<int64_t> wholeDims() const;

  /// The states have been filled with the rows of a whole run with these symbols, for which there is room.
  void adopt(const int64_t *dims);

  /// Takes over the symbols and rows of a call that succeeded.
  void advance(const int64_t *dims);

  void reset();

  /// Forgets all rows and gives their memory back, for others who share the budget.
  void release();

  /// Forgets all rows but the first `length`. Fails for a length outside 0 .. the rows held, and where a state holds
  /// only what follows from all of its rows, or does not keep what the rows to come could read; nothing has changed
  /// then.
  Status rewind(int64_t length);

  /// A new session of the same module and instance, with the same limits.
  Session emptyLike() const { return {owner, bound, initialRows, maxRows, reservation.budget()}; }

  /// Takes over the rows of another session of the same module and instance. It must be new. Of many rows both have the
  /// memory in common, and of further such copies, until one of them writes there. The failures are
  /// NOVA_CAPACITY_EXCEEDED and NOVA_OUT_OF_MEMORY.
  Status copyFrom(Session &other);

  /// A session takes part in one call at a time: claim returns false if it already does.
  bool claim() { return !claimed.exchange(true, std::memory_order_acquire); }
  void unclaim() { claimed.store(false, std::memory_order_release); }

private:
  struct State {
    Buffer memory, next;
    bool isReplaced = false;  // by `next`
    int64_t stride = 0;       // from matrix to matrix, while there are rows
    int64_t firstRow = 0;     // that is kept, a multiple of kPageRows
    int64_t bytesBefore = 0;  // that the rows before it would take
    int64_t room = 0;         // for so many rows from firstRow on
    bool hasSnapshot = false; // parts of `memory` are mapped from one

    int64_t capacity() const { return firstRow + room; }
  };
  enum class Roomy { No, Yes }; // room for rows to come

  /// What a state has to do to hold more rows. Planned for all states before any does it, so that a budget that is too
  /// small changes nothing.
  struct Growth {
    enum { None, Slide, Memory } kind; // Slide: move what is kept to the beginning
    int64_t firstRow, room;            // as in State
    int64_t skipped;                   // bytes of rows that are given up, in each matrix
    Matrices used, needed;
    int64_t more; // bytes to take, at most
  };

  // SessionRoom.cpp
  Status checkLength(const int64_t *dims) const;
  Status growTo(const int64_t *dims);
  Status growTo(const int64_t *dims, Roomy roomy);
  Status planState(size_t buffer, const int64_t *dims, Roomy roomy, Growth &growth);
  Status planNext(size_t buffer, Growth &growth);
  Status grow(size_t buffer, const Growth &growth, const int64_t *dims);
  int64_t firstKept(size_t buffer, const int64_t *dims, int64_t rows) const;
  int64_t shortestAfter(size_t buffer) const;
  Status bytesBefore(size_t buffer, int64_t row, const int64_t *dims, int64_t &bytes) const;
  Status keepFrom(size_t buffer, int64_t row, const int64_t *dims);
  Status matricesFor(size_t buffer, int64_t rows, Matrices &matrices);
  bool moveRows(size_t buffer, State &state, int64_t skipped, const Matrices &used, const Matrices &needed);
  Status charge(int64_t bytes);
  int64_t heldBytes() const;
  int64_t mappedBytes() const;

  // Session.cpp
  int64_t prefixOf(size_t buffer, int64_t rows) const;
  int64_t sharedPrefixOf(size_t buffer) const;
  Status copyState(size_t buffer, const Session &other);
  void takeSnapshot();
  bool fillFrom(size_t buffer, State &state, const State &source, const Matrices &used) const;

  std::shared_ptr<const Module> owner;
  std::shared_ptr<const ModuleInstance> bound;
  int64_t initialRows, maxRows;
  int64_t rowCount = 0;
  int64_t capacity = 0; // rows that fit, for the symbols of the rows held
  std::vector<int64_t> symbols;
  std::vector<int64_t> sizing; // symbols with some other number of rows
  std::vector<State> states;
  std::vector<Growth> growths;              // by buffer of the module, while memory is being made
  std::shared_ptr<const Snapshot> snapshot; // of the first rows, or null
  int64_t snapshotRows = 0;                 // how many of them are still those of the session
  int64_t sharedBytes = 0;                  // of the states, mapped from it and not to be written
  bool owes = false;                        // the budget may have to be asked again
  Reservation reservation;
  std::atomic<bool> claimed{false};
};

} // namespace nova::runtime

struct nova_session_t {
  nova::runtime::Session session;
};

#endif // NOVA_RUNTIME_CORE_SESSION_H
