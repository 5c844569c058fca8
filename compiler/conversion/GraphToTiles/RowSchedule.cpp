#include "compiler/conversion/GraphToTiles/RowSchedule.h"
#include <algorithm>
#include <map>
#include <set>

using namespace mlir;

namespace nova {
void ColumnNeed::add(const ColumnNeed &other) {
  if (other.kind == Some && kind == Some && other.range != range)
    *this = {All};
  else if (other.kind > kind)
    *this = other;
}

bool isPackedOperand(Operation *op, unsigned index) {
  auto matmul = dyn_cast<MatmulOp>(op);
  return matmul && (index == 1 || (matmul.getRhsHidden() && index + 1 == op->getNumOperands()));
}

namespace {
// A chain longer than this is cut into passes: a body of any length in one loop would make LLVM's time grow faster than
// the chain.
constexpr unsigned maxInlined = 128;
// A cheap value computed at more times than this is kept instead.
constexpr size_t maxTimes = 2;

class Scheduler {
public:
  Scheduler(const Values &values, ArrayRef<Operation *> ops, const DenseSet<Value> &outputs, MaskRanges ranges)
      : values(values), ops(ops), outputs(outputs), ranges(ranges) {
    for (Operation *op : ops)
      inside.insert(op->getResult(0));
  }
  RowSchedule run();

private:
  const Values &values;
  ArrayRef<Operation *> ops;
  const DenseSet<Value> &outputs;
  MaskRanges ranges;
  DenseSet<Value> inside;
  RowSchedule result;
  DenseMap<Value, unsigned> ready;     // the first time at which the value can be read
  DenseMap<Value, unsigned> storeTime; // kept elementwise values: the time of the pass that stores them
  DenseMap<Operation *, unsigned> at;  // reductions and contractions: the time of the event

  bool isColumn(Value v) const { return tensorOf(v).getRank() < 2 || values.isOne(tensorOf(v).getDims().back()); }
  DimAttr widthOf(Value v) const { return values.widthOf(v); }
  bool sameWidth(Value a, Value b) const {
    return tensorOf(a).getRank() >= 2 && tensorOf(b).getRank() >= 2 && widthOf(a) == widthOf(b);
  }
  static bool hasBuffer(Operation *op) { return isa<MatmulOp, ReductionOp>(op); }
  void findTimes();
  void findNeeds();
  void findStores();
  void buildEvents();
  void collectLoads(RowEvent &event);
};
} // namespace

// A column value (one entry per row) that a wider op reads is computed once, by a pass of width 1 of its own.
void Scheduler::findTimes() {
  DenseMap<Value, unsigned> inlined; // ops computed again by a reader, with itself
  for (Operation *op : ops) {
    Value v = op->getResult(0);
    bool kernelBuffer = hasBuffer(op);
    unsigned time = 0, size = 1;
    for (auto [i, x] : llvm::enumerate(op->getOperands())) {
      if (!inside.contains(x)) {
        // Indices and masks have no buffer; what a contraction reads must have one.
        if (isa<MatmulOp>(op) && values.isFree(x) && !isPackedOperand(op, i) && !(i >= 2 && ranges(x).isAll)) {
          result.kept.insert(x);
          ready[x] = 0;
          time = std::max(time, 1u);
        }
        continue;
      }
      Operation *def = x.getDefiningOp();
      bool mask = isa<MatmulOp>(op) && i >= 2 && ranges(x).isAll;
      bool mustKeep =
          !hasBuffer(def) && !mask &&
          (isa<MatmulOp>(op) || (isColumn(x) && !isColumn(v) && !isa<ReductionOp>(op)) || inlined[x] >= maxInlined);
      if (mustKeep)
        result.kept.insert(x);
      time = std::max(time, ready[x] + (mustKeep ? 1 : 0));
      if (!mustKeep && !hasBuffer(def))
        size += inlined[x];
    }
    if (kernelBuffer) {
      at[op] = time;
      ready[v] = time + 1;
      result.kept.insert(v);
      inlined[v] = 0;
    } else {
      ready[v] = time;
      inlined[v] = size;
    }
  }
}

void Scheduler::findNeeds() {
  for (Value v : outputs)
    result.needs[v].add({ColumnNeed::All});
  for (Operation *op : llvm::reverse(ops)) {
    Value v = op->getResult(0);
    ColumnNeed own = result.needs.lookup(v);
    for (auto [i, x] : llvm::enumerate(op->getOperands())) {
      if (!inside.contains(x) && !result.kept.contains(x))
        continue;
      ColumnNeed need{ColumnNeed::All};
      if (isa<MatmulOp, ReductionOp>(op)) {
        if (isPackedOperand(op, i))
          continue;
        auto reduction = dyn_cast<ReductionOp>(op);
        Value hidden = reduction ? reduction.getHidden() : Value(cast<MatmulOp>(op).getLhsHidden());
        bool masked = hidden && (i == 0 || x == hidden);
        if (tile::RangeAttr range = masked ? ranges(hidden).range : tile::RangeAttr())
          need = {ColumnNeed::Some, range};
      } else if (sameWidth(v, x) && !isColumn(x)) {
        need = own;
      }
      result.needs[x].add(need);
    }
  }
}

// Decides which elementwise values are kept, from the last op to the first: an expensive one that several passes want,
// a cheap one that many want. It is stored by the first of them.
void Scheduler::findStores() {
  DenseMap<Value, std::set<unsigned>> times; // when an elementwise value is computed
  for (Operation *op : llvm::reverse(ops)) {
    Value v = op->getResult(0);
    std::set<unsigned> own;
    if (hasBuffer(op)) {
      own.insert(at[op]);
    } else {
      own = times[v];
      bool must = result.kept.contains(v);
      if (must || outputs.contains(v) || (own.size() > 1 && isCostly(op)) || own.size() > maxTimes) {
        result.kept.insert(v);
        storeTime[v] = must || own.empty() ? ready[v] : *own.begin();
        own = {storeTime[v]};
      }
    }
    if (isa<MatmulOp>(op))
      continue; // reads buffers only
    for (Value x : op->getOperands())
      if (inside.contains(x) && !hasBuffer(x.getDefiningOp()))
        times[x].insert(own.begin(), own.end());
  }
}

void Scheduler::collectLoads(RowEvent &event) {
  std::vector<Value> work;
  DenseSet<Value> loaded, computed;
  auto read = [&](Value x) {
    // Where a kept value is stored at this very time, another pass may do it after this one: compute it here too.
    bool elementwise = inside.contains(x) && !hasBuffer(x.getDefiningOp());
    bool compute =
        values.isFree(x) ? !event.contraction : elementwise && (!result.kept.contains(x) || storeTime[x] >= event.time);
    if (compute && elementwise) {
      if (computed.insert(x).second)
        work.push_back(x);
    } else if (!compute && loaded.insert(x).second) {
      event.loads.push_back(x);
    }
  };
  if (event.contraction) {
    for (auto [i, x] : llvm::enumerate(event.contraction->getOperands()))
      if (i < 2 || isPackedOperand(event.contraction, i) || !ranges(x).isAll)
        read(x);
    return;
  }
  for (Value v : event.stores)
    if (!values.isFree(v) && computed.insert(v).second)
      work.push_back(v);
  for (Operation *op : event.reductions) {
    read(op->getOperand(0));
    if (op->getNumOperands() > 1 && !ranges(op->getOperand(1)).isAll)
      read(op->getOperand(1));
  }
  while (!work.empty()) {
    Value v = work.back();
    work.pop_back();
    for (Value x : v.getDefiningOp()->getOperands())
      read(x);
  }
  for (Value v : computed)
    event.inlined.push_back(v.getDefiningOp());
  llvm::sort(event.inlined, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

void Scheduler::buildEvents() {
  // Per time: contractions first, then passes by width and columns, which are numbered in order of appearance.
  struct Key {
    unsigned time, width, columns;
    bool operator<(const Key &o) const { return std::tie(time, width, columns) < std::tie(o.time, o.width, o.columns); }
  };
  std::map<unsigned, std::vector<Operation *>> contractions;
  std::map<Key, RowEvent> passes;
  std::vector<DimAttr> widths;
  std::vector<tile::RangeAttr> ranges;
  auto numberOf = [](auto &list, auto entry) {
    auto it = llvm::find(list, entry);
    if (it == list.end())
      it = list.insert(list.end(), entry);
    return unsigned(it - list.begin());
  };
  auto pass = [&](unsigned time, Value shape, tile::RangeAttr columns) -> RowEvent & {
    DimAttr width = widthOf(shape);
    RowEvent &event = passes[{time, numberOf(widths, width), numberOf(ranges, columns)}];
    event.width = width;
    event.columns = columns;
    event.time = time;
    return event;
  };
  for (Operation *op : ops) {
    Value v = op->getResult(0);
    if (isa<MatmulOp>(op)) {
      contractions[at[op]].push_back(op);
      // An index or mask that it reads is written out first.
      for (Value x : op->getOperands())
        if (values.isFree(x) && result.kept.contains(x))
          if (RowEvent &event = pass(0, x, result.needs[x].range); !llvm::is_contained(event.stores, x))
            event.stores.push_back(x);
    } else if (auto reduction = dyn_cast<ReductionOp>(op)) {
      tile::RangeAttr columns = reduction.getHidden() ? this->ranges(reduction.getHidden()).range : tile::RangeAttr();
      pass(at[op], reduction.getOperand(), columns).reductions.push_back(op);
    } else if (result.kept.contains(v)) {
      pass(storeTime[v], v, isColumn(v) ? tile::RangeAttr() : result.needs[v].range).stores.push_back(v);
    }
  }
  std::set<unsigned> timeline;
  for (auto &[time, list] : contractions)
    timeline.insert(time);
  for (auto &[key, event] : passes)
    timeline.insert(key.time);
  for (unsigned time : timeline) {
    for (Operation *op : contractions[time]) {
      RowEvent event;
      event.contraction = op;
      event.time = time;
      event.columns = result.needs[op->getResult(0)].range;
      result.events.push_back(event);
    }
    for (auto it = passes.lower_bound({time, 0, 0}); it != passes.end() && it->first.time == time; ++it)
      result.events.push_back(it->second);
  }
  for (RowEvent &event : result.events)
    collectLoads(event);
}

RowSchedule Scheduler::run() {
  findTimes();
  findNeeds();
  findStores();
  buildEvents();
  return std::move(result);
}

RowSchedule scheduleRows(const Values &values, ArrayRef<Operation *> ops, const DenseSet<Value> &outputs,
                         MaskRanges ranges) {
  return Scheduler(values, ops, outputs, ranges).run();
}
} // namespace nova
