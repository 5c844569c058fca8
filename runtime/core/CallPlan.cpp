//===- CallPlan.cpp - Runs, launches and their memory ---------------------===//

#include "runtime/core/CallPlan.h"
#include "runtime/core/EntryCheck.h"

#include <algorithm>
#include <cstring>

using namespace nova::runtime;

// From this many new rows on a run is worth its own steps: more of them would win nothing but the copies.
constexpr int64_t kRowsOfItsOwn = 64;

void CallPlan::clear(size_t count) {
  plans.clear();
  plans.reserve(count); // so that a claimed session is always noted
  launches.clear();
  dims.clear();
  overlap.clear();
  tensorBytes = 0;
}

Status CallPlan::check(const nova_run_t *runs, size_t count) {
  if (count > UINT32_MAX)
    return fail(NOVA_INVALID_ARGUMENT, "expected at most ", UINT32_MAX, " runs, found ", count);
  clear(count);
  for (uint32_t i = 0; i < count; ++i)
    if (Status status = checkRun(runs[i], i)) {
      if (count == 1)
        return status;
      return fail(status.code(), "run ", i, ", ", status.message());
    }
  if (Status status = planLaunches(/*together=*/true))
    return status;
  return overlap.check();
}

Status CallPlan::checkPrepare(const ModuleInstance &instance) {
  clear(1);
  RunPlan &plan = addPlan(nullptr, {instance.module().get(), &instance}, nullptr);
  std::copy(instance.dims().begin(), instance.dims().end(), dims.begin() + static_cast<ptrdiff_t>(plan.dimsAt));
  return planLaunches(/*together=*/false);
}

Status CallPlan::separate() { return planLaunches(/*together=*/false); }

CallPlan::RunPlan &CallPlan::addPlan(const nova_run_t *run, const RunTarget &target, Session *session) {
  plans.push_back({run, target, session, dims.size(), 0});
  dims.resize(dims.size() + target.module->manifest().symbols.size());
  return plans.back();
}

Status CallPlan::checkRun(const nova_run_t &run, uint32_t index) {
  Session *session = run.session ? &run.session->session : nullptr;
  RunTarget target;
  if (Status status = findTarget(run.module, run.instance, session, target))
    return status;
  const Manifest &manifest = target.module->manifest();
  if (session && !session->claim())
    return fail(NOVA_INVALID_ARGUMENT, "the session already takes part in this or another call");

  // From here on `finish` knows of the session.
  RunPlan &plan = addPlan(&run, target, session);
  int64_t *symbols = dims.data() + plan.dimsAt;
  SessionSizes sizes{};
  if (session)
    sizes = session->sizes();
  if (Status status = checkArguments(manifest, session ? &sizes : nullptr, target.params(), run.arguments,
                                     run.num_arguments, DataCheck::Required, symbols))
    return status;
  if (Status status = checkResults(manifest, session != nullptr, run.results, run.num_results, symbols))
    return status;
  noteTensors(plan, index);
  return Status::success();
}

void CallPlan::noteTensors(const RunPlan &plan, uint32_t index) {
  auto note = [&](const nova_tensor_t &tensor, const Port &port, OverlapCheck::Role role) {
    int64_t bytes = checkedBytes(tensor);
    if (role != OverlapCheck::Role::Param) // the instance knows which of them a run reads
      tensorBytes += static_cast<double>(bytes);
    if (bytes == 0)
      return;
    auto begin = reinterpret_cast<uintptr_t>(tensor.data);
    overlap.add({begin, begin + static_cast<uintptr_t>(bytes), &port.name, index, role});
  };
  const Manifest &manifest = plan.manifest();
  // Many runs of one instance, one after the other, have its params in common.
  bool isNew = index == 0 || plans[index - 1].target.instance != plan.target.instance;
  for (const Port &port : manifest.arguments)
    if (!port.isParam)
      note(plan.run->arguments[port.position], port, OverlapCheck::Role::Argument);
    else if (isNew)
      note(plan.target.instance->params()[port.position], port, OverlapCheck::Role::Param);
  for (size_t i = 0; i < manifest.results.size(); ++i)
    note(plan.run->results[i], manifest.results[i], OverlapCheck::Role::Result);
}

/// Whether the run may go through the steps together with one before it, which has a launch already.
bool CallPlan::mayJoin(const RunPlan &plan, const RunPlan &before) const {
  const Manifest &manifest = plan.manifest();
  if (!manifest.ragged || !plan.session || !before.session || plan.target.module != before.target.module ||
      plan.target.instance != before.target.instance)
    return false;
  for (const RunPlan *each : {&plan, &before})
    if (rowsOf(*each) == 0 || rowsOf(*each) >= kRowsOfItsOwn)
      return false;
  const auto &[whole, rows, past] = manifest.sequence;
  for (uint32_t symbol = 0; symbol < manifest.symbols.size(); ++symbol)
    if (symbol != whole && symbol != rows && symbol != past &&
        dims[plan.dimsAt + symbol] != dims[before.dimsAt + symbol])
      return false;
  for (const Port &port : manifest.arguments)
    if (!port.isParam && port.sequenceAxis < 0 &&
        plan.run->arguments[port.position].data != before.run->arguments[port.position].data)
      return false;
  return true;
}

Status CallPlan::planLaunches(bool together) {
  if (launches.empty())
    ownDims = dims.size();
  dims.resize(ownDims);
  launches.clear();
  offsets.clear();
  rowBytes.clear();
  matrices.clear();
  stagedOffsets.clear();
  steps.clear();
  repeats.clear();
  instanceValues.clear();
  stepTiles.clear();
  stepCount = stepBufferCount = 0;
  taskCount = scratchNeeded = stagedNeeded = 0;
  trafficBytes = tensorBytes;
  for (size_t first = 0, next; first < plans.size(); first = next) {
    for (next = first + 1; together && next < plans.size() && mayJoin(plans[next], plans[first]);)
      ++next;
    launches.push_back({first, next - first, plans[first].dimsAt, 0, 0, 0, 0, 0, 0});
    if (Status status = planLaunch(launches.back())) {
      if (plans.size() == 1)
        return status;
      return fail(status.code(), "run ", first, ", ", status.message());
    }
  }
  return Status::success();
}

Status CallPlan::planLaunch(Launch &launch) {
  launch.buffersAt = offsets.size();
  launch.stepsAt = steps.size();
  launch.loopsAt = repeats.size();
  launch.stagedAt = stagedOffsets.size();
  if (launch.isTogether())
    joinDims(launch);
  if (Status status = planMemory(launch))
    return status;
  return planSteps(launch);
}

/// The rows of all runs as those of one. No step that is run together knows where they are.
void CallPlan::joinDims(Launch &launch) {
  const auto &[whole, rows, past] = manifestOf(launch).sequence;
  size_t symbols = manifestOf(launch).symbols.size();
  int64_t all = 0;
  for (size_t run = launch.firstRun; run < launch.firstRun + launch.runCount; ++run) {
    plans[run].firstRow = all;
    all += rowsOf(plans[run]); // fewer than kRowsOfItsOwn each
  }
  launch.dimsAt = dims.size();
  dims.resize(dims.size() + symbols);
  std::copy_n(dims.begin() + static_cast<ptrdiff_t>(firstOf(launch).dimsAt), symbols,
              dims.begin() + static_cast<ptrdiff_t>(launch.dimsAt));
  dims[launch.dimsAt + whole] = dims[launch.dimsAt + rows] = all;
  dims[launch.dimsAt + past] = 0;
}

/// Room in `staged` for a tensor of each run of the launch.
template <typename TensorOf> int64_t CallPlan::stage(const Launch &launch, TensorOf tensorOf) {
  int64_t offset = stagedNeeded, bytes = 0;
  for (size_t run = launch.firstRun; run < launch.firstRun + launch.runCount; ++run)
    bytes = addBytes(bytes, checkedBytes(*tensorOf(*plans[run].run)));
  stagedNeeded = addBytes(stagedNeeded, alignedBytes(bytes));
  return offset;
}

Status CallPlan::planMemory(Launch &launch) {
  const Manifest &manifest = manifestOf(launch);
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    offsets.push_back(0);
    rowBytes.push_back(0);
    if (Status status = planBuffer(launch, i, matrices.emplace_back()))
      return status;
  }
  if (stagesResults(launch))
    for (size_t i = 0; i < manifest.results.size(); ++i)
      stagedOffsets.push_back(stage(launch, [&](const nova_run_t &run) { return &run.results[i]; }));
  if (const ModuleInstance *instance = firstOf(launch).target.instance)
    trafficBytes += instance->traffic(stageOf(launch));
  for (size_t run = launch.firstRun; run < launch.firstRun + launch.runCount; ++run)
    if (const RunPlan &plan = plans[run]; plan.session)
      trafficBytes += static_cast<double>(plan.session->bytesInUse(dims[plan.dimsAt + manifest.sequence.whole]));
  return Status::success();
}

Status CallPlan::planBuffer(Launch &launch, size_t index, Matrices &needed) {
  const RunPlan &first = firstOf(launch);
  const BufferSpec &buffer = manifestOf(launch).buffers[index];
  const int64_t *symbols = dims.data() + launch.dimsAt;
  if (buffer.kind == BufferKind::Prepared) {
    needed = first.target.instance->matrices(buffer.index);
    return Status::success();
  }
  if (!first.run)
    return Status::success(); // what is prepared depends on nothing else
  if (launch.isTogether() && buffer.hasRows && !buffer.row.evaluate(symbols, rowBytes.back()))
    return fail(NOVA_SHAPE_MISMATCH, "a row of ", buffer.row.text(), " bytes is more than 63 bits hold");
  if ((buffer.kind == BufferKind::State || buffer.kind == BufferKind::Next) && first.session)
    return first.target.module->countMatrices(index, symbols, needed.count);
  if (buffer.hasMatrices()) {
    if (Status status = first.target.module->findMatrices(index, symbols, needed))
      return status;
    offsets.back() = launch.slotBytes;
    launch.slotBytes = addBytes(launch.slotBytes, needed.bytes());
    trafficBytes += static_cast<double>(needed.bytes());
  } else if (launch.isTogether() && buffer.hasRows && buffer.kind == BufferKind::Argument) {
    uint32_t position = manifestOf(launch).arguments[buffer.index].position;
    offsets.back() = stage(launch, [&](const nova_run_t &run) { return &run.arguments[position]; });
  }
  return Status::success();
}

Status CallPlan::allocate(int32_t threads) {
  // More launches than this are never under way at once, so their temporaries share memory, and stay in cache. One
  // worker ends a launch before it begins the next.
  size_t slotCount = threads == 1 ? 1 : 2 * static_cast<size_t>(threads);
  slotCount = std::min(slotCount, launches.size());
  if (slots.size() < slotCount)
    slots.resize(slotCount);
  slotLast.assign(slotCount, -1);
  for (size_t i = 0; i < launches.size(); ++i) {
    Launch &launch = launches[i];
    launch.slot = i % slotCount;
    if (!slots[launch.slot].growDiscarding(static_cast<size_t>(launch.slotBytes)))
      return fail(NOVA_OUT_OF_MEMORY, "cannot get ", launch.slotBytes, " bytes for the temporaries of run ",
                  launch.firstRun);
  }
  for (const RunPlan &plan : plans)
    if (plan.session)
      if (Status status = plan.session->makeRoom(dims.data() + plan.dimsAt))
        return status;
  if (!staged.growDiscarding(static_cast<size_t>(stagedNeeded)))
    return fail(NOVA_OUT_OF_MEMORY, "cannot get ", stagedNeeded, " bytes for staged arguments and results");
  return allocateSections(threads);
}

namespace {

/// Calls copy(offset in the tensor, offset in the launch, bytes) for each piece of neighbouring rows of one run's
/// tensor, which lie from `firstRow` on among the `all` rows of its launch: one for every index of the axes before.
template <typename Copy>
void eachPiece(const nova_tensor_t &tensor, int32_t axis, int64_t firstRow, int64_t all, Copy copy) {
  int64_t pieces = 1;
  for (int32_t before = 0; before < axis; ++before)
    pieces *= tensor.dims[before];
  if (pieces == 0)
    return;
  int64_t bytes = checkedBytes(tensor) / pieces, row = bytes / tensor.dims[axis];
  for (int64_t piece = 0; piece < pieces && bytes > 0; ++piece)
    copy(piece * bytes, (piece * all + firstRow) * row, static_cast<size_t>(bytes));
}

} // namespace

void CallPlan::gatherArguments(const Launch &launch) const {
  const Manifest &manifest = manifestOf(launch);
  int64_t all = dims[launch.dimsAt + manifest.sequence.rows];
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const BufferSpec &buffer = manifest.buffers[i];
    if (buffer.kind != BufferKind::Argument || !buffer.hasRows)
      continue;
    const Port &port = manifest.arguments[buffer.index];
    char *target = static_cast<char *>(buffers[launch.buffersAt + i]);
    for (size_t run = launch.firstRun; run < launch.firstRun + launch.runCount; ++run) {
      const nova_tensor_t &tensor = plans[run].run->arguments[port.position];
      eachPiece(tensor, port.sequenceAxis, plans[run].firstRow, all, [&](int64_t from, int64_t to, size_t bytes) {
        std::memcpy(target + to, static_cast<const char *>(tensor.data) + from, bytes);
      });
    }
  }
}

void CallPlan::scatterResults(const Launch &launch) const {
  const Manifest &manifest = manifestOf(launch);
  for (size_t i = 0; i < manifest.results.size(); ++i) {
    const char *source = stagedResult(launch, i);
    int32_t axis = manifest.results[i].sequenceAxis;
    for (size_t run = launch.firstRun; run < launch.firstRun + launch.runCount; ++run) {
      const nova_tensor_t &tensor = plans[run].run->results[i];
      if (!launch.isTogether()) {
        if (int64_t bytes = checkedBytes(tensor))
          std::memcpy(tensor.data, source, static_cast<size_t>(bytes));
        continue;
      }
      int64_t all = dims[launch.dimsAt + manifest.sequence.rows];
      eachPiece(tensor, axis, plans[run].firstRow, all, [&](int64_t to, int64_t from, size_t bytes) {
        std::memcpy(static_cast<char *>(tensor.data) + to, source + from, bytes);
      });
    }
  }
}

void CallPlan::commit() {
  for (const Launch &launch : launches)
    if (stagesResults(launch))
      scatterResults(launch);
  for (const RunPlan &plan : plans)
    if (plan.session)
      plan.session->advance(dims.data() + plan.dimsAt);
}

std::string CallPlan::describe(const Failure &failure) const {
  return plans.size() > 1 ? concat("run ", failure.run(), ", ", failure.text()) : failure.text();
}

void CallPlan::finish() {
  for (const RunPlan &plan : plans)
    if (plan.session)
      plan.session->unclaim();
  plans.clear();
  launches.clear();
}

void CallPlan::trim() {
  slots.clear();
  staged.clear();
  sectionMemory.clear();
}
