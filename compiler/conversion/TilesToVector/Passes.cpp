//===- Passes.cpp - Passes that follow each other, row by row ----------------===//
//
// All passes of a row run while the row is in cache. What one pass learns about a row helps the next: results of width
// 1 stay in registers, and bounds of a buffer let a later pass take its fast code (FastPlan.h).
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TilesToVector/ColumnRange.h"
#include "compiler/conversion/TilesToVector/Parts.h"
#include "compiler/conversion/TilesToVector/PassBody.h"
#include "dialects/graph/NovaDialect.h"
#include <limits>
#include <memory>

using namespace mlir;

namespace nova::codegen {
namespace {

bool isWide(Value buffer) {
  ArrayRef<DimAttr> dims = dimsOfBuffer(buffer);
  return !dims.empty() && constantValue(dims.back()) != 1;
}

/// A pass over all of a single column: scalars only.
bool isSingleColumn(tile::PassOp pass) { return constantValue(pass.getWidth()) == 1 && !pass.getColumns(); }

bool mayProfit(tile::PassOp pass) {
  return llvm::any_of(pass.getBody().front(), [](Operation &op) {
    return isa<ExpOp, DivideOp>(op) && isa<FloatType>(cast<TensorType>(op.getResult(0).getType()).getElementType());
  });
}

class RowPasses {
public:
  RowPasses(Frame &f, ArrayRef<tile::PassOp> passes, const Tables &tables, Value row)
      : f(f), e(f.e), passes(passes), tables(tables), row(row) {}

  void emit() {
    for (size_t i = 0; i < passes.size(); ++i)
      isSingleColumn(passes[i]) ? emitSingleColumn(passes[i]) : emitWide(i);
  }

private:
  ValueMap uniformArguments(tile::PassOp pass);
  void emitSingleColumn(tile::PassOp pass);
  void emitWide(size_t i);
  bool factsWanted(size_t after, Value buffer) const;
  SmallVector<Accumulator> accumulatorsOf(tile::PassOp pass);
  Values emitVariants(PassBody &body, const FastPlan &plan, ArrayRef<Accumulator> accumulators);
  Value correctedZero(PassBody &body, const Accumulator &a, Value result);
  void setScalar(Value buffer, Value scalar);
  void forget(Value buffer) {
    scalars.erase(buffer);
    facts.erase(buffer);
  }

  Frame &f;
  Emit &e;
  ArrayRef<tile::PassOp> passes;
  const Tables &tables;
  Value row;
  /// Of this row: the entry of buffers one column wide, and what is known of the others.
  ValueMap scalars;
  llvm::DenseMap<Value, BufferFacts> facts;
};

ValueMap RowPasses::uniformArguments(tile::PassOp pass) {
  ValueMap uniforms;
  Block &block = pass.getBody().front();
  bool single = isSingleColumn(pass);
  size_t inputs = pass.getInputs().size();
  for (auto [i, buffer] : llvm::enumerate(pass.getInputs())) {
    if (!single && isWide(buffer))
      continue;
    Value known = scalars.lookup(buffer);
    uniforms[block.getArgument(i)] =
        known ? known : e.load(f.pointer(buffer), elementOfBuffer(buffer), f.rowStart(buffer, row), 0);
  }
  uniforms[block.getArgument(inputs)] = f.positionOf(row);
  if (single)
    uniforms[block.getArgument(inputs + 1)] = e.idx(0);
  return uniforms;
}

void RowPasses::setScalar(Value buffer, Value scalar) {
  e.store(isGlobal(buffer) ? canonicalized(e, scalar) : scalar, f.pointer(buffer), f.rowStart(buffer, row),
          elementOfBuffer(buffer));
  forget(buffer);
  if (!isWide(buffer))
    scalars[buffer] = scalar;
}

void RowPasses::emitSingleColumn(tile::PassOp pass) {
  Region region(f, pass.getBody().front(), uniformArguments(pass));
  SmallVector<Accumulator> accumulators = accumulatorsOf(pass);
  region.reportZeroDivisors(ValueMap(), {}, 0, {f.positionOf(row), e.idx(0)});
  for (auto [i, buffer] : llvm::enumerate(pass.getStores()))
    setScalar(buffer, region.uniform(region.yields()[i]));
  for (auto [a, buffer] : llvm::zip(accumulators, pass.getReductions())) {
    Value neutral = a.reduction.neutral(e, 0), x = region.uniform(a.value);
    if (a.hiddenBy)
      x = e.select(region.uniform(a.hiddenBy), neutral, x);
    setScalar(buffer, a.reduction.finish(e, a.reduction.isSum() ? a.reduction.combine(e, neutral, x) : x));
  }
}

SmallVector<Accumulator> RowPasses::accumulatorsOf(tile::PassOp pass) {
  SmallVector<Accumulator> result;
  ValueRange yields = pass.getBody().front().getTerminator()->getOperands();
  size_t stores = pass.getStores().size(), reductions = pass.getReductions().size(), hidden = stores + reductions;
  for (size_t i = 0; i < reductions; ++i) {
    Value x = yields[stores + i];
    Accumulator a;
    a.reduction.kind = cast<tile::ReduceKindAttr>(pass.getKinds()[i]).getValue();
    a.reduction.element = cast<TensorType>(x.getType()).getElementType();
    a.value = x;
    if (pass.getHide()[i])
      a.hiddenBy = yields[hidden++];
    // A zero is corrected by looking at the input again, so it must be one and still be there.
    auto argument = dyn_cast<BlockArgument>(x);
    bool input = argument && argument.getArgNumber() < pass.getInputs().size() &&
                 isWide(pass.getInputs()[argument.getArgNumber()]);
    a.reduction.plain = input && !a.hiddenBy && !a.reduction.isSum() && a.reduction.isFloat() &&
                        !llvm::is_contained(pass.getStores(), pass.getInputs()[argument.getArgNumber()]);
    a.notesNaN = a.reduction.plain;
    result.push_back(a);
  }
  return result;
}

// True if a pass after `after` reads `buffer` over the same columns before it is written again, and could use its
// bounds.
bool RowPasses::factsWanted(size_t after, Value buffer) const {
  tile::PassOp source = passes[after];
  for (tile::PassOp pass : passes.drop_front(after + 1)) {
    if (llvm::is_contained(pass.getInputs(), buffer) && pass.getWidth() == source.getWidth() &&
        pass.getColumns() == source.getColumns() && mayProfit(pass))
      return true;
    if (llvm::is_contained(pass.getStores(), buffer))
      return false;
  }
  return false;
}

Values RowPasses::emitVariants(PassBody &body, const FastPlan &plan, ArrayRef<Accumulator> accumulators) {
  auto variant = [&](Variant v) { return [&body, accumulators, v] { return body.emit(v, accumulators); }; };
  if (plan.empty())
    return body.emit(Variant::general, accumulators);
  auto choose = [&](Value condition, llvm::function_ref<Values()> then, llvm::function_ref<Values()> otherwise) {
    if (!accumulators.empty())
      return e.choose(condition, then, otherwise);
    e.when(condition, [&] { then(); }, [&] { otherwise(); });
    return Values();
  };
  auto corrected = variant(Variant::corrected);
  auto fast = [&] {
    return plan.powersOfTwo() ? choose(plan.powersOfTwo(), variant(Variant::powers), corrected) : corrected();
  };
  return choose(plan.mayRun(), fast, variant(Variant::general));
}

// The maximum of zeros is +0 if one of them is; the minimum is -0 if one of them is.
Value RowPasses::correctedZero(PassBody &body, const Accumulator &a, Value result) {
  Value zero = e.compare(FloatPredicate::OEQ, result, e.real(result.getType(), 0.0));
  bool max = a.reduction.kind == tile::ReduceKind::max;
  uint64_t negative = uint64_t(1) << (a.reduction.element.getIntOrFloatBitWidth() - 1);
  return e.choose(
      zero,
      [&] {
        Value found = body.contains(cast<BlockArgument>(a.value), max ? 0 : negative);
        Value plus = e.real(result.getType(), 0.0), minus = e.real(result.getType(), -0.0);
        return Values{max ? e.select(found, plus, minus) : e.select(found, minus, plus)};
      },
      [&] { return Values{result}; })[0];
}

void RowPasses::emitWide(size_t index) {
  tile::PassOp pass = passes[index];
  Block &block = pass.getBody().front();
  ColumnRange columns(f, pass.getColumnsAttr(), f.size(pass.getWidth()));
  Region region(f, block, uniformArguments(pass));
  llvm::DenseMap<Value, Interval> known;
  for (auto [i, buffer] : llvm::enumerate(pass.getInputs())) {
    auto fact = facts.find(buffer);
    if (fact != facts.end() && fact->second.width == pass.getWidth() && fact->second.columns == pass.getColumnsAttr() &&
        isWide(buffer))
      known[block.getArgument(i)] = fact->second.interval;
  }
  FastPlan plan(f, region, known);

  // A maximum or minimum of all of a buffer that a later pass wants to know bounds of brings the other bound along.
  SmallVector<Accumulator> accumulators = accumulatorsOf(pass);
  size_t reductions = accumulators.size();
  struct Bounds {
    Value buffer;
    size_t reduction, other;
  };
  SmallVector<Bounds> bounds;
  for (size_t i = 0; i < reductions; ++i) {
    const Accumulator a = accumulators[i];
    if (a.reduction.isSum() || !a.reduction.isFloat() || a.hiddenBy)
      continue;
    Value buffer;
    if (a.reduction.plain)
      buffer = pass.getInputs()[cast<BlockArgument>(a.value).getArgNumber()];
    for (auto [k, stored] : llvm::enumerate(pass.getStores()))
      if (region.yields()[k] == a.value)
        buffer = stored;
    if (!buffer || !isWide(buffer) || !factsWanted(index, buffer))
      continue;
    bounds.push_back({buffer, i, accumulators.size()});
    Accumulator other = a;
    other.reduction.kind = a.reduction.kind == tile::ReduceKind::max ? tile::ReduceKind::min : tile::ReduceKind::max;
    // Its own result is nobody's, so either zero will do; NaN is found by the reduction itself.
    other.reduction.plain = true;
    other.notesNaN = false;
    accumulators.push_back(other);
  }

  PassBody body(f, pass, region, plan, row, columns, tables);
  Values results = emitVariants(body, plan, accumulators);

  size_t note = accumulators.size();
  Values finished, notes;
  for (const Accumulator &a : accumulators)
    notes.push_back(a.notesNaN ? results[note++] : Value());
  for (auto [i, a] : llvm::enumerate(ArrayRef(accumulators).take_front(reductions))) {
    Value x = results[i];
    if (a.notesNaN)
      x = e.select(notes[i], canonicalNaN(e, x.getType()), correctedZero(body, a, x));
    finished.push_back(a.reduction.finish(e, x));
  }

  for (Value buffer : pass.getStores())
    forget(buffer);
  for (auto [x, buffer] : llvm::zip(finished, pass.getReductions()))
    setScalar(buffer, x);
  for (auto [k, buffer] : llvm::enumerate(pass.getStores()))
    if (std::optional<Interval> interval = plan.interval(region.yields()[k]); interval && factsWanted(index, buffer))
      facts[buffer] = {*interval, pass.getWidth(), pass.getColumnsAttr()};
  for (const Bounds &b : bounds) {
    Value x = results[b.reduction], y = results[b.other];
    bool max = accumulators[b.reduction].reduction.kind == tile::ReduceKind::max;
    // Infinite or unordered ends are not sound: the arithmetic of intervals is that of finite numbers.
    Value infinity = e.real(x.getType(), std::numeric_limits<double>::infinity());
    Interval interval{max ? y : x, max ? x : y, {}};
    interval.sound = e.both(
        e.compare(FloatPredicate::OGT, interval.low, e.real(x.getType(), -std::numeric_limits<double>::infinity())),
        e.compare(FloatPredicate::OLT, interval.high, infinity));
    if (Value note = notes[b.reduction])
      interval.sound = e.both(interval.sound, e.op<arith::XOrIOp>(note, e.integer(e.b.getI1Type(), 1)));
    facts[b.buffer] = {interval, pass.getWidth(), pass.getColumnsAttr()};
  }
}

} // namespace

void emitPasses(Frame &f, ArrayRef<tile::PassOp> passes) {
  Emit &e = f.e;
  SmallVector<std::unique_ptr<ConstantTable>> owned;
  Tables tables;
  for (Type element : {Type(e.b.getF32Type()), Type(e.b.getF64Type())}) {
    bool used = llvm::any_of(passes, [&](tile::PassOp pass) {
      return llvm::any_of(pass.getBody().front(), [&](Operation &op) {
        return isa<ExpOp>(op) && cast<TensorType>(op.getResult(0).getType()).getElementType() == element;
      });
    });
    if (!used)
      continue;
    Value place = f.header(ScratchHeader::tables + static_cast<int64_t>(owned.size()) * ConstantTable::bytes);
    owned.push_back(std::make_unique<ConstantTable>(e, place, element, f.nativeLanes(element)));
    tables[element] = owned.back().get();
  }
  e.loop(e.idx(0), f.rows, 1, [&](Value row) { RowPasses(f, passes, tables, row).emit(); });
}

} // namespace nova::codegen
