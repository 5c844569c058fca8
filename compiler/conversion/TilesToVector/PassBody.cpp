#include "compiler/conversion/TilesToVector/PassBody.h"
#include "dialects/graph/NovaDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nova::codegen {

PassBody::PassBody(Frame &f, tile::PassOp pass, const Region &region, const FastPlan &plan, Value row,
                   ColumnRange &range, const Tables &tables)
    : f(f), e(f.e), pass(pass), region(region), plan(plan), tables(tables), row(row), all(range.around(row, row)) {
  for (size_t span = 0; span < range.spans(); ++span) {
    Columns columns = range.of(span, row);
    Span s{columns,
           getConstantIntValue(columns.low) != 0,
           e.floorTo(columns.low, sumLanes),
           e.ceilTo(columns.low, sumLanes),
           e.floorTo(columns.high, sumLanes),
           {},
           {}};
    s.tailIsPartial = e.compare(IntPredicate::slt, s.tail, columns.high);
    if (s.headed) {
      s.headIsPartial = e.compare(IntPredicate::ne, s.head, columns.low);
      s.tailIsPartial = e.both(s.tailIsPartial, e.compare(IntPredicate::sge, s.tail, s.whole));
    }
    spans.push_back(s);
  }
}

//===----------------------------------------------------------------------===//
// What is emitted
//===----------------------------------------------------------------------===//

// The exp of a region with one, where it is worth two loops; null if there is none or there are several.
static Operation *onlyExp(const Region &region) {
  Operation *found = nullptr;
  for (Operation &op : region.block().without_terminator())
    if (isa<ExpOp>(op) && region.varies(op.getResult(0))) {
      if (found)
        return nullptr;
      found = &op;
    }
  return found;
}

PassBody::Plan PassBody::makePlan(Variant variant, ArrayRef<Accumulator> accumulators) {
  Plan result;
  result.variant = variant;
  result.accumulators = accumulators;
  Values roots(region.yields());
  for (const Accumulator &a : accumulators)
    roots.push_back(a.value);
  // Two short chains of operations instead of a long one: more of them are in flight.
  result.split = region.dividesIntegers() ? nullptr : onlyExp(region);
  if (result.split) {
    result.ops = region.needed(roots, {result.split->getResult(0)});
    result.opsBeforeSplit = region.needed(result.split->getOperand(0));
  } else {
    result.ops = region.needed(roots);
  }
  result.loadsMasked = llvm::any_of(llvm::enumerate(pass.getInputs()), [&](auto input) {
    return isGlobal(input.value()) && region.varies(region.block().getArgument(input.index()));
  });
  // Two spans may meet inside of a step, and what one stores in place the other must not read again.
  result.masked = result.loadsMasked || spans.size() > 1 || !accumulators.empty() || region.dividesIntegers() ||
                  llvm::any_of(pass.getStores(), isGlobal);
  return result;
}

SequenceBuilder PassBody::sequence(Operation *op, bool isFast) const {
  Type element = cast<TensorType>(op->getResult(0).getType()).getElementType();
  return {e, element, sumLanes, tables.lookup(element), /*wholeTable=*/!isFast};
}

//===----------------------------------------------------------------------===//
// The arithmetic of a step
//===----------------------------------------------------------------------===//

ValueMap PassBody::load(ArrayRef<Operation *> ops, ValueRange roots, Value column, Value mask) {
  ValueMap computed;
  auto need = [&](Value x) {
    auto argument = dyn_cast<BlockArgument>(x);
    if (!argument || argument.getOwner() != &region.block() || !region.varies(x) || computed.count(x))
      return;
    unsigned i = argument.getArgNumber();
    Type element = cast<TensorType>(x.getType()).getElementType();
    if (i >= pass.getInputs().size()) { // the column
      computed[x] = e.op<arith::AddIOp>(e.splat(column, sumLanes), e.laneNumbers(element, sumLanes));
      return;
    }
    Value buffer = pass.getInputs()[i], index = e.add(f.rowStart(buffer, row), column);
    // Scratch tiles have room for whole steps; global buffers end with their last column.
    computed[x] = mask && isGlobal(buffer) ? e.maskedLoad(f.pointer(buffer), element, index, mask)
                                           : e.load(f.pointer(buffer), element, index, sumLanes);
  };
  for (Value x : roots)
    need(x);
  for (Operation *op : ops)
    for (Value x : op->getOperands())
      need(x);
  return computed;
}

Value PassBody::computeOp(Operation *op, Variant variant, const ValueMap &computed) {
  Values in;
  for (Value x : op->getOperands())
    in.push_back(lanes(x, computed));
  if (variant != Variant::general && plan.hasFastQuotient(op)) {
    Value r = e.splat(plan.reciprocal(op), sumLanes), q = e.op<arith::MulFOp>(in[0], r);
    return variant == Variant::powers ? q : e.fma(e.fma(e.negate(q), in[1], in[0]), r, q);
  }
  if (isa<ExpOp>(op)) {
    bool normal = variant != Variant::general && plan.hasFastExp(op);
    SequenceBuilder builder = sequence(op, normal);
    auto expand = [&](auto zero) {
      using T = decltype(zero);
      return normal ? reference::expNormal<T>(builder, in[0]) : reference::exp<T>(builder, in[0]);
    };
    return builder.element.isF32() ? expand(float()) : expand(double());
  }
  return emitElementwise(e, op, in);
}

void PassBody::compute(ArrayRef<Operation *> ops, Variant variant, ValueMap &computed) {
  for (Operation *op : ops)
    computed[op->getResult(0)] = computeOp(op, variant, computed);
}

// As expClamp, but NaN passes, and so through r to the polynomial, which stands for the argument in expScale.
template <typename T> static Value clampBesideNaN(SequenceBuilder &b, Value x) {
  using C = reference::ExpConstants<T>;
  Value low = b.floatBits(reference::bitsOf(C::clampLow)), high = b.floatBits(reference::bitsOf(C::clampHigh));
  x = b.select(b.less(x, low), low, x);
  return b.select(b.less(high, x), high, x);
}

// Between the loops the reduced arguments of exp for a chunk lie in scratch memory, in two lines of 256.
Values PassBody::stepBeforeSplit(const Plan &plan, Value column, Value line, Value mask) {
  Value x = plan.split->getOperand(0);
  ValueMap computed = load(plan.opsBeforeSplit, x, column, mask);
  compute(plan.opsBeforeSplit, plan.variant, computed);
  SequenceBuilder builder = sequence(plan.split, isNormal(plan));
  Value argument = lanes(x, computed), lines = f.header(ScratchHeader::lines);
  auto reduce = [&](auto zero) {
    using T = decltype(zero);
    return reference::expReduce<T>(builder, isNormal(plan) ? argument : clampBesideNaN<T>(builder, argument));
  };
  auto reduced = builder.element.isF32() ? reduce(float()) : reduce(double());
  e.store(reduced.r, lines, line);
  e.store(reduced.biased, lines, e.add(line, chunk));
  return {};
}

// The general form scales in a longer way, so its polynomial has a loop of its own over the line of arguments.
void PassBody::polynomials(const Plan &plan, Value from, Value to) {
  SequenceBuilder builder = sequence(plan.split, /*isFast=*/false);
  Value lines = f.header(ScratchHeader::lines);
  e.loop(from, to, sumLanes, [&](Value line) {
    Value r = e.load(lines, builder.element, line, sumLanes);
    e.store(builder.element.isF32() ? reference::expPolynomial<float>(builder, r)
                                    : reference::expPolynomial<double>(builder, r),
            lines, line);
  });
}

Value PassBody::exponentialAfterSplit(const Plan &plan, Value line) {
  SequenceBuilder builder = sequence(plan.split, isNormal(plan));
  Value lines = f.header(ScratchHeader::lines);
  Value first = e.load(lines, builder.element, line, sumLanes);
  Value biased = e.load(lines, builder.element, e.add(line, chunk), sumLanes);
  auto finish = [&](auto zero) {
    using T = decltype(zero);
    return isNormal(plan) ? reference::expFinishNormal<T>(builder, {biased, first})
                          : reference::expScale<T>(builder, first, biased, first);
  };
  return builder.element.isF32() ? finish(float()) : finish(double());
}

void PassBody::storeResults(const ValueMap &computed, Value column, Value mask) {
  for (auto [i, buffer] : llvm::enumerate(pass.getStores())) {
    Value x = lanes(region.yields()[i], computed), index = e.add(f.rowStart(buffer, row), column);
    if (isGlobal(buffer))
      x = canonicalized(e, x);
    Type element = elementOfBuffer(buffer);
    if (mask && (isGlobal(buffer) || spans.size() > 1))
      e.maskedStore(x, f.pointer(buffer), index, mask, element);
    else
      e.store(x, f.pointer(buffer), index, element);
  }
}

// The state: lanes of every accumulator, then the notes of NaN.
Values PassBody::step(const Plan &plan, Value column, Value line, Value mask, ValueRange state) {
  Values roots(region.yields());
  for (const Accumulator &a : plan.accumulators)
    roots.push_back(a.value);
  ValueMap computed = load(plan.ops, roots, column, mask);
  if (plan.split)
    computed[plan.split->getResult(0)] = exponentialAfterSplit(plan, line);
  compute(plan.ops, plan.variant, computed);

  region.reportZeroDivisors(computed, mask, sumLanes, {f.positionOf(row), column});
  storeResults(computed, column, mask);

  Values next, notes;
  for (auto [i, a] : llvm::enumerate(plan.accumulators)) {
    Value x = lanes(a.value, computed), neutral = a.reduction.neutral(e, sumLanes);
    if (mask)
      x = e.select(mask, x, neutral);
    if (a.hiddenBy)
      x = e.select(lanes(a.hiddenBy, computed), neutral, x);
    // In this order max is one instruction: of equal or unordered values the second is taken.
    next.push_back(a.reduction.isSum() ? a.reduction.combine(e, state[i], x) : a.reduction.combine(e, x, state[i]));
    if (a.notesNaN)
      notes.push_back(noteNaN(e, state[plan.accumulators.size() + notes.size()], x));
  }
  llvm::append_range(next, notes);
  return next;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

// The lanes of the step at `column` that belong to the span.
Value PassBody::maskOf(const Span &span, Value column) {
  if (!span.headed)
    return e.maskBelow(e.sub(span.columns.high, column), sumLanes);
  Value below = e.maskBelow(e.min(e.sub(span.columns.high, column), e.idx(sumLanes)), sumLanes);
  Value before = e.maskBelow(e.max(e.sub(span.columns.low, column), e.idx(0)), sumLanes);
  return e.both(below, e.op<arith::XOrIOp>(before, e.integer(before.getType(), 1)));
}

// Columns of the span from `from` (the start of a chunk or of the row) to `limit`, in the first or the second loop.
Values PassBody::steps(const Plan &plan, const Span &span, Value from, Value limit, Values state, bool beforeSplit) {
  auto emitStep = [&](Value column, Value mask, ValueRange carried) {
    Value line = e.sub(column, from);
    return beforeSplit ? stepBeforeSplit(plan, column, line, mask) : step(plan, column, line, mask, carried);
  };
  auto partialStep = [&](Value condition, Value column) {
    condition = e.both(condition,
                       e.both(e.compare(IntPredicate::sge, column, from), e.compare(IntPredicate::slt, column, limit)));
    auto masked = [&]() -> Values { return emitStep(column, maskOf(span, column), state); };
    if (state.empty())
      e.when(condition, [&] { masked(); });
    else
      state = e.choose(condition, masked, [&] { return state; });
  };
  bool masked = beforeSplit ? plan.loadsMasked : plan.masked;
  if (masked && span.headed)
    partialStep(span.headIsPartial, span.head);
  Value first = span.headed ? e.max(from, masked ? span.whole : span.head) : from;
  state = e.loop(first, e.min(limit, masked ? span.tail : span.columns.high), sumLanes, state,
                 [&](Value column, ValueRange carried) { return emitStep(column, {}, carried); });
  if (masked)
    partialStep(span.tailIsPartial, span.tail);
  return state;
}

Values PassBody::emit(Variant variant, ArrayRef<Accumulator> accumulators) {
  Plan plan = makePlan(variant, accumulators);
  // Across chunks: a scalar total of every sum, the lanes of the others, the notes.
  auto isChunked = [&](const Accumulator &a) { return a.reduction.isSum() && !f.target.freeOrder; };
  Values carried;
  bool chunked = plan.split != nullptr;
  for (const Accumulator &a : accumulators) {
    chunked |= isChunked(a);
    carried.push_back(a.reduction.neutral(e, isChunked(a) ? 0 : sumLanes));
  }
  for (const Accumulator &a : accumulators)
    if (a.notesNaN)
      carried.push_back(noNaNSeen(e, a.reduction.element, f.nativeLanes(a.reduction.element)));

  if (!chunked) {
    for (const Span &span : spans)
      carried = steps(plan, span, span.head, span.columns.high, carried);
  } else {
    carried = e.loop(e.floorTo(all.low, chunk), all.high, chunk, carried, [&](Value start, ValueRange outer) {
      Value end = e.add(start, chunk);
      Values state(outer);
      for (auto [i, a] : llvm::enumerate(accumulators))
        if (isChunked(a))
          state[i] = a.reduction.neutral(e, sumLanes);
      for (const Span &span : spans) {
        if (plan.split)
          steps(plan, span, start, end, {}, /*beforeSplit=*/true);
        if (plan.split && !isNormal(plan))
          polynomials(plan, e.sub(e.max(start, span.head), start), e.sub(e.min(end, span.columns.high), start));
        state = steps(plan, span, start, end, state);
      }
      for (auto [i, a] : llvm::enumerate(accumulators))
        if (isChunked(a))
          state[i] = a.reduction.combine(e, outer[i], a.reduction.fold(e, state[i]));
      return state;
    });
  }

  size_t note = accumulators.size();
  for (auto [i, a] : llvm::enumerate(accumulators))
    if (!isChunked(a))
      carried[i] = a.reduction.fold(e, carried[i]);
  for (; note < carried.size(); ++note)
    carried[note] = sawNaN(e, carried[note]);
  return carried;
}

Value PassBody::contains(BlockArgument input, uint64_t bits) {
  Type element = cast<TensorType>(input.getType()).getElementType();
  auto look = [&](Value column, Value mask, Value found) {
    Value x = e.toBits(load({}, ValueRange(Value(input)), column, mask).lookup(input));
    Value equal = e.compare(IntPredicate::eq, x, e.toBits(e.realBits(shaped(element, sumLanes), bits)));
    Value any = e.b.create<vector::ReductionOp>(e.loc, vector::CombiningKind::OR, mask ? e.both(equal, mask) : equal);
    return e.op<arith::OrIOp>(found, any);
  };
  Value found = e.integer(e.b.getI1Type(), 0);
  for (const Span &span : spans) {
    auto partial = [&](Value condition, Value column) {
      found = e.choose(
          condition, [&] { return Values{look(column, maskOf(span, column), found)}; },
          [&] { return Values{found}; })[0];
    };
    if (span.headed)
      partial(span.headIsPartial, span.head);
    found = e.loop(span.whole, span.tail, sumLanes, found,
                   [&](Value column, ValueRange state) { return Values{look(column, {}, state[0])}; })[0];
    partial(span.tailIsPartial, span.tail);
  }
  return found;
}

} // namespace nova::codegen
