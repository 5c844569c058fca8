#include "compiler/pipeline/CallCheck.h"
#include "dialects/graph/Text.h"
#include "dialects/graph/Unify.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nova {
//===--- the tree of calls ---===//

// Every call is inlined, on the stack, so chains of calls and what they add up to are limited.
constexpr unsigned maxCallDepth = 256;
constexpr uint64_t maxInlinedOps = 1 << 20;

namespace {
// A graph with all calls below it inlined.
struct Extent {
  unsigned depth = 0;
  uint64_t ops = 0;
};

// One graph on the way down, with the calls still to follow.
struct Frame {
  GraphOp graph;
  SmallVector<Invocation> calls;
  size_t next = 0;
};
} // namespace

static Frame openFrame(GraphOp graph) {
  Frame frame{graph, {}};
  for (Invocation call : graph.getBlock().getOps<Invocation>())
    frame.calls.push_back(call);
  return frame;
}

// The extents of all callees are known, or missing where the module lacks the graph.
static FailureOr<Extent> measure(Frame &frame, const SymbolTable &symbols, const DenseMap<Operation *, Extent> &known) {
  Extent whole;
  whole.ops = frame.graph.getBlock().getOperations().size();
  for (Invocation call : frame.calls) {
    Extent callee = known.lookup(symbols.lookup(call.getCallee()));
    whole.depth = std::max(whole.depth, callee.depth + 1);
    whole.ops += callee.ops;
    if (whole.depth > maxCallDepth)
      return call->emitError("calls nest deeper than ")
             << maxCallDepth << " here: @" << call.getCallee() << " has " << callee.depth << " levels below it";
    if (whole.ops > maxInlinedOps)
      return call->emitError("@") << frame.graph.getSymName() << " has more than " << maxInlinedOps
                                  << " operations with its calls inlined; @" << call.getCallee() << " alone has "
                                  << callee.ops;
  }
  return whole;
}

LogicalResult checkCallTree(ModuleOp module) {
  SymbolTable symbols(module);
  DenseMap<Operation *, Extent> done;
  DenseSet<Operation *> open;
  for (GraphOp start : module.getOps<GraphOp>()) {
    if (done.contains(start))
      continue;
    std::vector<Frame> path{openFrame(start)};
    open.insert(start);
    while (!path.empty()) {
      Frame &top = path.back();
      if (top.next == top.calls.size()) {
        FailureOr<Extent> extent = measure(top, symbols, done);
        if (failed(extent))
          return failure();
        open.erase(top.graph);
        done[top.graph] = *extent;
        path.pop_back();
        continue;
      }
      Invocation call = top.calls[top.next++];
      auto callee = symbols.lookup<GraphOp>(call.getCallee());
      if (!callee || done.contains(callee))
        continue;
      if (open.insert(callee).second) {
        path.push_back(openFrame(callee));
        continue;
      }
      InFlightDiagnostic diagnostic = call->emitError("recursion is not allowed: ");
      auto from = llvm::find_if(path, [&](Frame &frame) { return frame.graph == callee; });
      for (Frame &frame : llvm::make_range(from, path.end()))
        diagnostic << "@" << frame.graph.getSymName() << " calls ";
      return diagnostic << "@" << callee.getSymName();
    }
  }
  return success();
}

//===--- signatures ---===//

namespace {
class CallChecker {
public:
  CallChecker(Invocation call, GraphOp caller, GraphOp callee)
      : call(call), caller(caller), callee(callee), facts(factsOf(caller)), context(caller.getContext()) {}

  LogicalResult run() {
    if (call->getNumOperands() != callee.getNumGraphArguments())
      return call->emitError() << title() << " takes " << callee.getNumGraphArguments() << " arguments, found "
                               << call->getNumOperands();
    if (call->getNumResults() != callee.getNumGraphResults())
      return call->emitError() << title() << " gives " << callee.getNumGraphResults() << " results, found "
                               << call->getNumResults();
    if (failed(checkForm()) || failed(checkScanned()) || failed(bindElements()) || failed(checkRanks()) ||
        failed(bindSymbols()))
      return failure();
    for (unsigned i = 0; i < call->getNumOperands(); i++)
      if (failed(compare(operandType(i), callee.getArgumentType(i), argumentText(i))))
        return failure();
    if (failed(checkClauses()))
      return failure();
    for (unsigned i = 0; i < call->getNumResults(); i++)
      if (failed(checkResult(i)))
        return failure();
    return checkCarried();
  }

private:
  std::string title() { return "@" + callee.getSymName().str(); }
  TensorType wholeType(unsigned i) { return cast<TensorType>(call->getOperand(i).getType()); }
  // What the callee gets: of a value that is scanned over, one entry.
  TensorType operandType(unsigned i) {
    TensorType whole = wholeType(i);
    return i < call.getNumScanned() ? whole.withDims(whole.getDims().drop_front()) : whole;
  }
  // How often the callee runs; null for a call.
  DimAttr repeats() { return call.getNumScanned() ? wholeType(0).getDims().front() : DimAttr(); }

  // What scans of derived graphs alone have, and enough results to hand on.
  LogicalResult checkForm() {
    if (auto scan = dyn_cast<ScanOp>(*call); scan && !scan.getStates().empty())
      return call->emitError("the stored form names no states");
    if (call.getNumCarried() > call->getNumResults())
      return call->emitError() << title() << " gives " << call->getNumResults() << " results, fewer than the "
                               << call.getNumCarried() << " values of carry";
    return success();
  }

  LogicalResult checkScanned() {
    auto described = [&](unsigned i) { return valueName(call->getOperand(i)) + ": " + toString(Type(wholeType(i))); };
    for (unsigned i = 0; i < call.getNumScanned(); i++) {
      if (wholeType(i).getRank() == 0)
        return call->emitError() << "cannot scan over " << described(i) << ", expected a leading axis";
      DimAttr first = repeats(), own = wholeType(i).getDims().front();
      if (facts.equal(first, own))
        continue;
      InFlightDiagnostic diagnostic = call->emitError();
      diagnostic << "cannot scan over " << described(0) << " and " << described(i)
                 << " together: their leading axes are " << toString(first) << " and " << toString(own);
      addCounterexample(diagnostic, facts, first, own);
      return diagnostic;
    }
    return success();
  }

  // `argument K of @f is %X: f64[m, d]`
  std::string argumentText(unsigned i) {
    std::string name = valueName(call->getOperand(i));
    return "argument " + callee.getArgName(i).str() + " of " + title() + " is " + (name.empty() ? "" : name + ": ") +
           toString(Type(operandType(i)));
  }

  // A weak scalar rounds once to what it meets; a fraction does not become whole, and nothing becomes i1.
  static bool weakFits(TensorType weak, Type element) {
    return weak.isWeak() && !element.isInteger(1) &&
           !(isa<WeakFloatType>(weak.getElementType()) && element.isInteger());
  }

  bool fitsKind(Type element, StringRef kind) {
    if (auto param = dyn_cast<ParamType>(element)) {
      for (Attribute a : caller.getTypeParams())
        if (cast<TypeParamAttr>(a).getName() == param.getName())
          return cast<TypeParamAttr>(a).getKind().getValue() == kind;
      return false;
    }
    return kind == "float" ? element.isF64() || element.isF32() : element.isInteger(64) || element.isInteger(32);
  }

  LogicalResult bindElements() {
    for (unsigned i = 0; i < call->getNumOperands(); i++) {
      auto param = dyn_cast<ParamType>(callee.getArgumentType(i).getElementType());
      Type element = operandType(i).getElementType();
      if (!param || operandType(i).isWeak())
        continue;
      TypeParamAttr declared = parameter(param);
      if (!fitsKind(element, declared.getKind().getValue()))
        return call->emitError() << argumentText(i) << ", expected an element type of kind "
                                 << declared.getKind().getValue() << " for " << param.getName().getValue();
      auto [it, fresh] = elements.try_emplace(param.getName(), element);
      if (!fresh && it->second != element)
        return call->emitError() << argumentText(i) << ", expected element type " << elementText(it->second)
                                 << ": another argument gave " << param.getName().getValue() << " = "
                                 << elementText(it->second);
    }
    // What only weak scalars would determine takes its default.
    for (Attribute a : callee.getTypeParams())
      elements.try_emplace(cast<TypeParamAttr>(a).getName(), cast<TypeParamAttr>(a).getFallback());
    return success();
  }

  TypeParamAttr parameter(ParamType param) {
    for (Attribute a : callee.getTypeParams())
      if (cast<TypeParamAttr>(a).getName() == param.getName())
        return cast<TypeParamAttr>(a);
    llvm_unreachable("the callee's verifier has seen all its element types");
  }

  Type elementFor(Type element) {
    auto param = dyn_cast<ParamType>(element);
    return param ? elements.lookup(param.getName()) : element;
  }

  LogicalResult checkRanks() {
    for (unsigned i = 0; i < call->getNumOperands(); i++)
      if (operandType(i).getRank() != callee.getArgumentType(i).getRank())
        return call->emitError() << argumentText(i) << ", expected " << toString(Type(callee.getArgumentType(i)));
    return success();
  }

  // The lowering to core form binds likewise.
  LogicalResult bindSymbols() {
    llvm::SetVector<Attribute> wanted;
    SmallVector<std::pair<DimAttr, DimAttr>> pairs;
    for (unsigned i = 0; i < call->getNumOperands(); i++)
      for (auto [theirs, ours] : llvm::zip(callee.getArgumentType(i).getDims(), operandType(i).getDims())) {
        wanted.insert(theirs.getAtoms().begin(), theirs.getAtoms().end());
        pairs.emplace_back(theirs, ours);
      }
    symbols = nova::bindSymbols(pairs);
    for (Attribute symbol : wanted)
      if (!symbols.contains(cast<StringAttr>(symbol)))
        return call->emitError() << "symbol " << cast<StringAttr>(symbol).getValue() << " of " << title()
                                 << " does not follow from the shapes of its arguments: none of their sizes gives it";
    return success();
  }

  // The callee's type in the caller's words; null when a dimension leaves the range.
  TensorType instantiate(TensorType theirs) {
    SmallVector<DimAttr> dims;
    for (DimAttr dim : theirs.getDims()) {
      dims.push_back(substituteSymbols(dim, symbols));
      if (!dims.back())
        return {};
    }
    return TensorType::get(context, elementFor(theirs.getElementType()), dims);
  }

  LogicalResult compare(TensorType ours, TensorType theirs, const std::string &what) {
    TensorType want = instantiate(theirs);
    if (!want)
      return call->emitError() << what << ": a dimension of " << toString(Type(theirs)) << " is out of range";
    auto start = [&] { return call->emitError() << what << ", expected " << toString(Type(want)); };
    if (ours.getElementType() != want.getElementType() && !weakFits(ours, want.getElementType()))
      return start();
    return compareAxes(start, ours.getDims(), want.getDims());
  }

  // Dims of one rank; `start` begins the error.
  LogicalResult compareAxes(function_ref<InFlightDiagnostic()> start, ArrayRef<DimAttr> first,
                            ArrayRef<DimAttr> second) {
    for (auto [axis, a, b] : llvm::enumerate(first, second)) {
      if (facts.equal(a, b))
        continue;
      InFlightDiagnostic diagnostic = start();
      diagnostic << ": axis " << axis << " is " << toString(a) << " and " << toString(b);
      addCounterexample(diagnostic, facts, a, b);
      return diagnostic;
    }
    return success();
  }

  LogicalResult checkResult(unsigned i) {
    auto written = cast<TensorType>(call->getResult(i).getType());
    TensorType theirs = callee.getResultType(i);
    std::string what = "result " + std::to_string(i) + " of " + title() + " is written " + toString(Type(written));
    unsigned stacked = i < call->getNumResults() - call.getNumCarried() && repeats() ? 1 : 0;
    if (written.getRank() != theirs.getRank() + stacked) {
      TensorType want = instantiate(theirs);
      if (want && stacked) {
        SmallVector<DimAttr> dims{repeats()};
        llvm::append_range(dims, want.getDims());
        want = want.withDims(dims);
      }
      return call->emitError() << what << ", expected " << toString(Type(want ? want : theirs));
    }
    if (stacked && !facts.equal(written.getDims().front(), repeats()))
      return call->emitError() << what << ", expected " << toString(repeats()) << " as its leading axis, that of "
                               << valueName(call->getOperand(0));
    return compare(written.withDims(written.getDims().drop_front(stacked)), theirs, what);
  }

  // What a run hands on is what the next one takes.
  LogicalResult checkCarried() {
    unsigned count = call.getNumCarried(), results = callee.getNumGraphResults() - count,
             arguments = callee.getNumGraphArguments() - count;
    for (unsigned i = 0; i < count; i++) {
      TensorType given = callee.getResultType(results + i), taken = callee.getArgumentType(arguments + i);
      TensorType have = instantiate(given), want = instantiate(taken);
      auto start = [&] {
        return call->emitError() << "carry " << callee.getArgName(arguments + i) << " of " << title()
                                 << ": a run takes " << toString(Type(want ? want : taken)) << " and hands on "
                                 << toString(Type(have ? have : given));
      };
      if (!have || !want || have.getElementType() != want.getElementType() || have.getRank() != want.getRank())
        return start();
      if (failed(compareAxes(start, want.getDims(), have.getDims())))
        return failure();
    }
    return success();
  }

  // `value >= bound`, the common form of all relations but ==.
  static std::pair<DimAttr, int64_t> asLowerBound(DimAttr lhs, StringRef relation, DimAttr rhs) {
    bool less = relation.starts_with("<");
    return {less ? subtractDims(rhs, lhs) : subtractDims(lhs, rhs), relation.size() == 1 ? 1 : 0};
  }

  bool follows(DimAttr lhs, StringRef relation, DimAttr rhs) {
    if (relation == "==")
      return facts.equal(lhs, rhs);
    auto [value, bound] = asLowerBound(lhs, relation, rhs);
    if (!value)
      return false;
    return facts.atLeast(value, bound);
  }

  LogicalResult checkClauses() {
    for (Attribute a : callee.getClauses()) {
      auto clause = cast<ClauseAttr>(a);
      DimAttr lhs = substituteSymbols(clause.getLhs(), symbols), rhs = substituteSymbols(clause.getRhs(), symbols);
      StringRef relation = clause.getRelation().getValue();
      if (lhs && rhs && follows(lhs, relation, rhs))
        continue;
      InFlightDiagnostic diagnostic = call->emitError();
      diagnostic << "clause " << toString(clause) << " of " << title() << " is not known to hold";
      if (lhs && rhs)
        diagnostic << ": here it is " << toString(lhs) << " " << relation << " " << toString(rhs);
      diagnostic << "; a where clause of @" << caller.getSymName() << " can promise it";
      return diagnostic;
    }
    return success();
  }

  Invocation call;
  GraphOp caller, callee;
  Facts facts;
  MLIRContext *context;
  DenseMap<Attribute, Type> elements; // by the parameter's name
  SymbolBindings symbols;
};
} // namespace

LogicalResult checkCall(Invocation call, GraphOp caller, GraphOp callee) {
  return CallChecker(call, caller, callee).run();
}
} // namespace nova
