#include "compiler/analysis/AffineForm.h"
#include "compiler/analysis/ReshapeGroups.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using presburger::Fraction;
using presburger::Simplex;

namespace nova {
static TensorType typeOf(Value value) { return cast<TensorType>(value.getType()); }

// a + factor * b, entry by entry; fails on overflow.
static bool addScaled(SmallVectorImpl<int64_t> &a, ArrayRef<int64_t> b, int64_t factor) {
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    int64_t scaled;
    if (llvm::MulOverflow(y, factor, scaled) || llvm::AddOverflow(x, scaled, x))
      return false;
  }
  return true;
}

static bool isConstant(const AffineForm &form) {
  return llvm::all_of(form.axes, [](int64_t c) { return c == 0; }) &&
         llvm::all_of(ArrayRef<int64_t>(form.sizes).drop_back(), [](int64_t c) { return c == 0; });
}

AffineForms::AffineForms(GraphOp graph, const SizeColumns &columns) : columns(columns) {
  for (Operation &op : graph.getBlock()) {
    if (op.getNumResults() != 1)
      continue;
    TensorType type = typeOf(op.getResult(0));
    bool isInteger = type.getElementType().isInteger(64) || type.getElementType().isInteger(32);
    if (!isInteger || !columns.allows(type.getRank()))
      continue;
    std::optional<AffineForm> form = derive(&op);
    if (form && fits(*form, type))
      forms.try_emplace(op.getResult(0), std::move(*form));
  }
}

const AffineForm *AffineForms::get(Value value) const {
  auto it = forms.find(value);
  return it == forms.end() ? nullptr : &it->second;
}

std::optional<AffineForm> AffineForms::get(Value value, unsigned rank) const {
  const AffineForm *form = get(value);
  if (!form || form->axes.size() > rank)
    return std::nullopt;
  AffineForm result{SmallVector<int64_t>(rank - form->axes.size(), 0), form->sizes};
  llvm::append_range(result.axes, form->axes);
  return result;
}

std::optional<AffineForm> AffineForms::derive(Operation *op) const {
  using Result = std::optional<AffineForm>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](IotaOp iota) { return this->iota(iota); })
      .Case([&](ConstantOp constant) { return this->constant(constant); })
      .Case([&](DimValueOp size) -> Result {
        auto row = columns.coefficients(size.getDim());
        return row ? Result(AffineForm{{}, *row}) : std::nullopt;
      })
      .Case([&](CastOp cast) { return get(cast.getOperand(), typeOf(cast.getOperand()).getRank()); })
      .Case([&](TransposeOp transpose) -> Result {
        const AffineForm *form = get(transpose.getOperand());
        if (!form)
          return std::nullopt;
        AffineForm result{{}, form->sizes};
        for (int64_t axis : transpose.getPermutation())
          result.axes.push_back(form->axes[axis]);
        return result;
      })
      .Case<BroadcastOp>([&](Operation *) { return get(op->getOperand(0), typeOf(op->getResult(0)).getRank()); })
      .Case([&](ReshapeOp reshape) -> Result {
        const AffineForm *form = get(reshape.getOperand());
        TensorType from = typeOf(reshape.getOperand()), to = typeOf(reshape.getResult());
        AffineForm result{SmallVector<int64_t>(to.getRank(), 0), {}};
        if (!form)
          return std::nullopt;
        result.sizes = form->sizes;
        for (auto [coefficient, axis] :
             llvm::zip_equal(form->axes, axesAfterReshape(from.getDims(), to.getDims(), columns.getFacts()))) {
          if (axis < 0 && coefficient)
            return std::nullopt;
          if (axis >= 0)
            result.axes[axis] = coefficient;
        }
        return result;
      })
      .Case([&](NegateOp negate) -> Result {
        const AffineForm *form = get(negate.getOperand());
        AffineForm result;
        if (!form)
          return std::nullopt;
        result.axes.assign(form->axes.size(), 0);
        result.sizes.assign(form->sizes.size(), 0);
        if (!addScaled(result.axes, form->axes, -1) || !addScaled(result.sizes, form->sizes, -1))
          return std::nullopt;
        return result;
      })
      .Case<AddOp>([&](Operation *add) { return sum(add, 1); })
      .Case<SubtractOp>([&](Operation *subtract) { return sum(subtract, -1); })
      .Case<MultiplyOp>([&](Operation *multiply) { return product(multiply); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<AffineForm> AffineForms::iota(IotaOp op) const {
  TensorType type = typeOf(op.getResult());
  AffineForm form{SmallVector<int64_t>(type.getRank(), 0), SmallVector<int64_t>(columns.count() + 1, 0)};
  DimAttr own = type.getDims()[op.getAxis()];
  if (!columns.getFacts().equal(own, constantDim(op.getContext(), 1)))
    form.axes[op.getAxis()] = 1;
  if (op.getFromAttr()) {
    auto row = columns.coefficients(op.getFromAttr());
    if (!row)
      return std::nullopt;
    form.sizes = *row;
  }
  return form;
}

std::optional<AffineForm> AffineForms::constant(ConstantOp op) const {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!value || !value.getElementType().isInteger(64) || value.getNumElements() == 0 || !value.isSplat())
    return std::nullopt;
  AffineForm form{SmallVector<int64_t>(typeOf(op.getResult()).getRank(), 0),
                  SmallVector<int64_t>(columns.count() + 1, 0)};
  form.sizes.back() = value.getSplatValue<APInt>().getSExtValue();
  return form;
}

std::optional<AffineForm> AffineForms::sum(Operation *op, int64_t sign) const {
  unsigned rank = typeOf(op->getResult(0)).getRank();
  std::optional<AffineForm> a = get(op->getOperand(0), rank), b = get(op->getOperand(1), rank);
  if (!a || !b || !addScaled(a->axes, b->axes, sign) || !addScaled(a->sizes, b->sizes, sign))
    return std::nullopt;
  return a;
}

std::optional<AffineForm> AffineForms::product(Operation *op) const {
  unsigned rank = typeOf(op->getResult(0)).getRank();
  std::optional<AffineForm> a = get(op->getOperand(0), rank), b = get(op->getOperand(1), rank);
  if (!a || !b || (!isConstant(*a) && !isConstant(*b)))
    return std::nullopt;
  if (!isConstant(*b))
    std::swap(a, b);
  AffineForm result{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(a->sizes.size(), 0)};
  int64_t factor = b->sizes.back();
  if (!addScaled(result.axes, a->axes, factor) || !addScaled(result.sizes, a->sizes, factor))
    return std::nullopt;
  return result;
}

bool AffineForms::fits(const AffineForm &form, TensorType type) const {
  // The magnitudes of the coefficients sum to less than 2^13 and no position reaches 2^48: |value| < 2^61 + 2^61.
  constexpr int64_t coefficientLimit = int64_t(1) << 13, constantLimit = int64_t(1) << 61;
  int64_t total = 0;
  for (int64_t c : llvm::concat<const int64_t>(form.axes, ArrayRef<int64_t>(form.sizes).drop_back())) {
    if (c <= -coefficientLimit || c >= coefficientLimit)
      return false;
    total += std::abs(c);
  }
  if (total >= coefficientLimit || form.sizes.back() <= -constantLimit || form.sizes.back() >= constantLimit)
    return false;
  // A product of sizes may be far beyond the size of any axis.
  for (unsigned c = 0; c < columns.count(); c++)
    if (form.sizes[c] && !columns.symbol(c))
      return false;
  if (type.getElementType().isInteger(64))
    return true;
  Simplex simplex(columns.positions(type.getDims()));
  if (simplex.isEmpty())
    return true;
  SmallVector<int64_t> row(form.axes);
  llvm::append_range(row, form.sizes);
  SmallVector<llvm::DynamicAPInt> expression = presburger::getDynamicAPIntVec(row);
  auto low = simplex.computeOptimum(Simplex::Direction::Down, expression);
  auto high = simplex.computeOptimum(Simplex::Direction::Up, expression);
  return low.isBounded() && high.isBounded() && *low >= Fraction(INT32_MIN, 1) && *high <= Fraction(INT32_MAX, 1);
}
} // namespace nova
