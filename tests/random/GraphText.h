// A random graph under construction: its values with what they are made of, so that any part of it can be written as a
// graph of its own.
#ifndef NOVA_TESTS_RANDOM_GRAPHTEXT_H
#define NOVA_TESTS_RANDOM_GRAPHTEXT_H

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace nova::test {
using Dims = std::vector<std::string>; // symbols and numbers

/// Element types; weak scalars take the type of what they meet.
enum class Kind { F64, F32, I64, I32, I1, BF16, F16, I8, I4, WeakFloat, WeakInt };
const char *toString(Kind kind);
/// The type of a tensor, with axes before its own.
std::string typeText(Kind kind, const Dims &leading, const Dims &own);
inline bool isFloat(Kind k) { return k == Kind::F64 || k == Kind::F32; }
inline bool isInteger(Kind k) { return k == Kind::I64 || k == Kind::I32; }
/// Kept, but not computed with.
inline bool isStored(Kind k) { return k == Kind::BF16 || k == Kind::F16 || k == Kind::I8 || k == Kind::I4; }
inline bool isWeak(Kind k) { return k == Kind::WeakFloat || k == Kind::WeakInt; }

/// The broadcast of two shapes; false where they do not fit.
bool broadcast(const Dims &a, const Dims &b, Dims &joint);

class GraphText {
public:
  struct Value {
    std::string op;         // "argument" for an argument
    std::string expression; // what stands behind the `=`
    std::vector<unsigned> operands;
    Kind kind;
    Dims dims;
    Kind countedKind; // type and rank under which the op is counted: those of the first operand of reductions and
                      // comparisons
    size_t countedRank;
  };

  /// Adds a value and gives its number. An operand is written `%v<number>`.
  unsigned argument(Kind kind, const Dims &dims);
  unsigned add(const std::string &op, const std::vector<unsigned> &operands, const std::string &rest, Kind kind,
               const Dims &dims);
  /// Notes that a value reads another one that its expression names.
  void reads(unsigned v, unsigned operand) { values[v].operands.push_back(operand); }
  /// Of an operation whose result has another element type than its operand.
  void setKind(unsigned v, Kind kind) { values[v].kind = kind; }
  /// The second result of the call that was added just before. A call's operands are written in `rest`.
  unsigned addSecond(unsigned call, Kind kind, const Dims &dims);

  const Value &operator[](unsigned v) const { return values[v]; }
  unsigned size() const { return values.size(); }
  /// Graphs that calls refer to, written before this one.
  std::string callees;

  /// The results; by default every typed value that nothing reads.
  std::vector<unsigned> results;
  void returnLeaves(unsigned atMost);

  /// The graph with these results, without what they do not need. All arguments stay, as sizes follow from them.
  std::string text(const std::vector<unsigned> &results) const;
  std::string text() const { return text(results); }
  /// The values that these results need, in order.
  std::vector<unsigned> needed(const std::vector<unsigned> &results) const;

private:
  std::vector<Value> values;
};

/// Draws from one seed. The same seed gives the same graph on every machine: only the generator's raw numbers are used.
class Draw {
public:
  explicit Draw(uint64_t seed) : seed(seed), generator(seed) {}
  const uint64_t seed;
  uint64_t bits() { return generator(); }
  unsigned below(unsigned bound) { return generator() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &from) { return from[below(from.size())]; }
  double unit() { return double(generator() >> 11) * 0x1p-53; }

private:
  std::mt19937_64 generator;
};
} // namespace nova::test

#endif
