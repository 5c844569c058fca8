#include "compiler/analysis/AffineForm.h"
#include "compiler/analysis/ReshapeGroups.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using presburger::Fraction;
using presburger::Simplex;

namespace nova {
static TensorType typeOf(Value value) { return cast<TensorType>(value.getType()); }

SmallVector<int64_t> addQuotients(presburger::IntegerRelation &set, const AffineForm &form) {
  SmallVector<int64_t> row(form.axes);
  llvm::append_range(row, ArrayRef<int64_t>(form.sizes).drop_back());
  row.resize(set.getNumVars(), 0);
  for (const AffineForm::Quotient &quotient : form.quotients) {
    SmallVector<int64_t> dividend(quotient.axes);
    llvm::append_range(dividend, ArrayRef<int64_t>(quotient.sizes).drop_back());
    dividend.resize(set.getNumVars(), 0);
    dividend.push_back(quotient.sizes.back());
    set.addLocalFloorDiv(dividend, quotient.divisor);
    row.push_back(quotient.factor);
  }
  row.push_back(form.sizes.back());
  return row;
}

// a + factor * b, entry by entry; fails on overflow.
static bool addScaled(SmallVectorImpl<int64_t> &a, ArrayRef<int64_t> b, int64_t factor) {
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    int64_t scaled;
    if (llvm::MulOverflow(y, factor, scaled) || llvm::AddOverflow(x, scaled, x))
      return false;
  }
  return true;
}

static bool isZero(ArrayRef<int64_t> list) {
  return llvm::all_of(list, [](int64_t c) { return c == 0; });
}

static bool isConstant(const AffineForm &form) {
  return isZero(form.axes) && isZero(ArrayRef<int64_t>(form.sizes).drop_back()) && form.quotients.empty();
}

// More quotients than masks of blocks need.
static constexpr size_t maxQuotients = 4;

// a + factor * b; fails on overflow and where quotients become too many.
static bool addScaled(AffineForm &a, const AffineForm &b, int64_t factor) {
  if (!addScaled(a.axes, b.axes, factor) || !addScaled(a.sizes, b.sizes, factor))
    return false;
  for (AffineForm::Quotient quotient : b.quotients) {
    auto same = llvm::find_if(a.quotients, [&](const AffineForm::Quotient &other) {
      return other.divisor == quotient.divisor && other.axes == quotient.axes && other.sizes == quotient.sizes;
    });
    int64_t scaled;
    if (llvm::MulOverflow(quotient.factor, factor, scaled) ||
        (same != a.quotients.end() && llvm::AddOverflow(same->factor, scaled, scaled)))
      return false;
    quotient.factor = scaled;
    if (same != a.quotients.end())
      a.quotients.erase(same);
    if (scaled)
      a.quotients.push_back(quotient);
  }
  return a.quotients.size() <= maxQuotients;
}

static std::optional<AffineForm> scaled(const AffineForm &form, int64_t factor) {
  AffineForm result{SmallVector<int64_t>(form.axes.size(), 0), SmallVector<int64_t>(form.sizes.size(), 0), {}};
  return addScaled(result, form, factor) ? std::optional<AffineForm>(result) : std::nullopt;
}

std::optional<AffineForm> AffineForm::moved(ArrayRef<int> places, unsigned rank) const {
  auto move = [&](ArrayRef<int64_t> from) -> std::optional<SmallVector<int64_t>> {
    SmallVector<int64_t> to(rank, 0);
    for (auto [coefficient, place] : llvm::zip_equal(from, places)) {
      if (place >= 0)
        to[place] = coefficient;
      else if (coefficient)
        return std::nullopt;
    }
    return to;
  };
  AffineForm result = *this;
  auto own = move(axes);
  if (!own)
    return std::nullopt;
  result.axes = *own;
  for (Quotient &quotient : result.quotients) {
    auto part = move(quotient.axes);
    if (!part)
      return std::nullopt;
    quotient.axes = *part;
  }
  return result;
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
  SmallVector<int> places;
  for (unsigned k = rank - form->axes.size(); k < rank; k++)
    places.push_back(int(k));
  return form->moved(places, rank);
}

std::optional<AffineForm> AffineForms::derive(Operation *op) const {
  using Result = std::optional<AffineForm>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](IotaOp iota) { return this->iota(iota); })
      .Case([&](ConstantOp constant) { return this->constant(constant); })
      .Case([&](DimValueOp size) -> Result {
        auto row = columns.coefficients(size.getDim());
        return row ? Result(AffineForm{{}, *row, {}}) : std::nullopt;
      })
      .Case([&](CastOp cast) { return get(cast.getOperand(), typeOf(cast.getOperand()).getRank()); })
      .Case([&](TransposeOp transpose) -> Result {
        const AffineForm *form = get(transpose.getOperand());
        if (!form)
          return std::nullopt;
        // Axis a of the result is axis permutation[a] of the operand.
        SmallVector<int> places(form->axes.size());
        for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
          places[from] = int(to);
        return form->moved(places, places.size());
      })
      .Case<BroadcastOp>([&](Operation *) { return get(op->getOperand(0), typeOf(op->getResult(0)).getRank()); })
      .Case([&](ReshapeOp reshape) -> Result {
        const AffineForm *form = get(reshape.getOperand());
        TensorType from = typeOf(reshape.getOperand()), to = typeOf(reshape.getResult());
        if (!form)
          return std::nullopt;
        return form->moved(axesAfterReshape(from.getDims(), to.getDims(), columns.getFacts()), to.getRank());
      })
      .Case([&](NegateOp negate) -> Result {
        const AffineForm *form = get(negate.getOperand());
        return form ? scaled(*form, -1) : std::nullopt;
      })
      .Case<AddOp>([&](Operation *add) { return sum(add, 1); })
      .Case<SubtractOp>([&](Operation *subtract) { return sum(subtract, -1); })
      .Case<MultiplyOp>([&](Operation *multiply) { return product(multiply); })
      .Case<DivideOp>([&](Operation *divide) { return quotient(divide); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<AffineForm> AffineForms::iota(IotaOp op) const {
  TensorType type = typeOf(op.getResult());
  AffineForm form{SmallVector<int64_t>(type.getRank(), 0), SmallVector<int64_t>(columns.count() + 1, 0), {}};
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
  AffineForm form{
      SmallVector<int64_t>(typeOf(op.getResult()).getRank(), 0), SmallVector<int64_t>(columns.count() + 1, 0), {}};
  form.sizes.back() = value.getSplatValue<APInt>().getSExtValue();
  return form;
}

std::optional<AffineForm> AffineForms::sum(Operation *op, int64_t sign) const {
  unsigned rank = typeOf(op->getResult(0)).getRank();
  std::optional<AffineForm> a = get(op->getOperand(0), rank), b = get(op->getOperand(1), rank);
  if (!a || !b || !addScaled(*a, *b, sign))
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
  return scaled(*a, b->sizes.back());
}

// Integer division cuts towards zero, which is down where the dividend is not negative.
std::optional<AffineForm> AffineForms::quotient(Operation *op) const {
  TensorType type = typeOf(op->getResult(0));
  std::optional<AffineForm> dividend = get(op->getOperand(0), type.getRank()),
                            divisor = get(op->getOperand(1), type.getRank());
  if (!dividend || !divisor || !isConstant(*divisor) || divisor->sizes.back() < 1 || !dividend->quotients.empty())
    return std::nullopt;
  Simplex simplex(columns.positions(type.getDims()));
  if (!simplex.isEmpty()) {
    SmallVector<int64_t> row(dividend->axes);
    llvm::append_range(row, dividend->sizes);
    auto least = simplex.computeOptimum(Simplex::Direction::Down, presburger::getDynamicAPIntVec(row));
    if (!least.isBounded() || *least < Fraction(0, 1))
      return std::nullopt;
  }
  AffineForm result{SmallVector<int64_t>(type.getRank(), 0), SmallVector<int64_t>(dividend->sizes.size(), 0), {}};
  result.quotients.push_back({1, divisor->sizes.back(), dividend->axes, dividend->sizes});
  return result;
}

bool AffineForms::fits(const AffineForm &form, TensorType type) const {
  // The magnitudes of the coefficients sum to less than 2^13 and no position reaches 2^48: |value| < 2^61 + 2^61.
  constexpr int64_t coefficientLimit = int64_t(1) << 13, constantLimit = int64_t(1) << 61;
  int64_t total = 0;
  SmallVector<int64_t> coefficients(form.axes);
  llvm::append_range(coefficients, ArrayRef<int64_t>(form.sizes).drop_back());
  // A quotient is at most its dividend, whose coefficients are as small.
  for (const AffineForm::Quotient &quotient : form.quotients) {
    if (std::abs(quotient.factor) >= coefficientLimit || quotient.sizes.back() >= constantLimit / coefficientLimit)
      return false;
    for (int64_t c : llvm::concat<const int64_t>(quotient.axes, ArrayRef<int64_t>(quotient.sizes).drop_back()))
      coefficients.push_back(c * quotient.factor);
  }
  for (int64_t c : coefficients) {
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
  presburger::IntegerPolyhedron positions = columns.positions(type.getDims());
  SmallVector<int64_t> row = addQuotients(positions, form);
  Simplex simplex(positions);
  if (simplex.isEmpty())
    return true;
  SmallVector<llvm::DynamicAPInt> expression = presburger::getDynamicAPIntVec(row);
  auto low = simplex.computeOptimum(Simplex::Direction::Down, expression);
  auto high = simplex.computeOptimum(Simplex::Direction::Up, expression);
  return low.isBounded() && high.isBounded() && *low >= Fraction(INT32_MIN, 1) && *high <= Fraction(INT32_MAX, 1);
}
} // namespace nova
