//===- AllocationTest.cpp - A steady state allocates nothing --------------===//
//
// Counts what passes through the C++ allocation functions, which the runtime's containers and oneTBB's wrappers use.
//
//===----------------------------------------------------------------------===//

#include "tests/runtime/TestModule.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

static std::atomic<size_t> allocations{0};

static void *countedAllocation(size_t size, size_t alignment) {
  ++allocations;
  void *memory = nullptr;
  if (posix_memalign(&memory, alignment, size ? size : 1) != 0)
    throw std::bad_alloc();
  return memory;
}

void *operator new(size_t size) { return countedAllocation(size, sizeof(void *)); }
void *operator new[](size_t size) { return countedAllocation(size, sizeof(void *)); }
void *operator new(size_t size, std::align_val_t align) { return countedAllocation(size, static_cast<size_t>(align)); }
void *operator new[](size_t size, std::align_val_t align) {
  return countedAllocation(size, static_cast<size_t>(align));
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace nova::test;

namespace {

TEST(Allocation, RepeatedCallsAllocateNothing) {
  ModulePtr running = load(runningManifest()), divide = load(divideManifest()), linear = load(linearManifest());
  ContextPtr context = makeContext(1);
  SessionPtr session = makeSession(running.get(), 100);
  Tensor<double> rows({1, 3}, 1), weight({3}), out({1, 3}), many({50, 3}, 1), manyOut({50, 3});
  Tensor<int64_t> a({9}, 7), b({9}, 2), quotient({9}), rest({9});
  const nova_tensor_t stepIn[] = {rows.view(), weight.view()}, stepOut[] = {out.view()};
  const nova_tensor_t wholeIn[] = {many.view(), weight.view()}, wholeOut[] = {manyOut.view()};
  const nova_tensor_t divideIn[] = {a.view(), b.view()}, divideOut[] = {quotient.view(), rest.view()};
  Tensor<double> factors({3, 2}, 1), bias({2}), linearOut({50, 2});
  Tensor<int64_t> calls({1});
  InstancePtr instance = makeInstance(context.get(), linear.get(), {factors.view(), bias.view()});
  const nova_tensor_t linearIn[] = {many.view()}, linearResults[] = {linearOut.view(), calls.view()};
  const nova_run_t runs[] = {{running.get(), nullptr, session.get(), stepIn, 2, stepOut, 1},
                             {running.get(), nullptr, nullptr, wholeIn, 2, wholeOut, 1},
                             {divide.get(), nullptr, nullptr, divideIn, 2, divideOut, 2},
                             {nullptr, instance.get(), nullptr, linearIn, 1, linearResults, 2}};
  ASSERT_EQ(take(nova_run(context.get(), runs, 4)), "");
  size_t before = allocations;
  for (int i = 0; i < 50; ++i) {
    nova_status_t *status = nova_run(context.get(), runs, 4);
    ASSERT_EQ(status, nullptr);
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(nova_session_length(session.get()), 51);
}

TEST(Allocation, RepeatedBatchesAllocateNothing) {
  // Three workers, one after another on this thread: they need counters and addresses of instances, but no threads.
  auto inTurn = [](void *, int32_t workers, void (*body)(void *, int32_t), void *argument) {
    for (int32_t worker = 0; worker < workers; ++worker)
      body(argument, worker);
  };
  nova_context_options_t options{sizeof options, 3, inTurn, nullptr, NOVA_ONEDNN_ON};
  nova_context_t *made = nullptr;
  ASSERT_EQ(take(nova_context_create(&options, &made)), "");
  ContextPtr context(made);
  ModulePtr running = load(runningBatchManifest()), prefix = load(prefixBatchManifest());
  SessionPtr session = makeSession(running.get(), 100);
  Tensor<double> row({2, 3, 1, 3}, 1), weight({3}), out({2, 3, 1, 3});
  Tensor<double> rows({2, 3, 50, 30}, 1), prefixOut({2, 3, 50}), raised({2, 3, 50});
  const nova_tensor_t stepIn[] = {row.view(), weight.view()}, stepOut[] = {out.view()};
  const nova_tensor_t wholeIn[] = {rows.view()}, wholeOut[] = {prefixOut.view(), raised.view()};
  const nova_run_t runs[] = {{running.get(), nullptr, session.get(), stepIn, 2, stepOut, 1},
                             {prefix.get(), nullptr, nullptr, wholeIn, 1, wholeOut, 2}};
  ASSERT_EQ(take(nova_run(context.get(), runs, 2)), "");
  size_t before = allocations;
  for (int i = 0; i < 50; ++i) {
    nova_status_t *status = nova_run(context.get(), runs, 2);
    ASSERT_EQ(status, nullptr);
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(nova_session_length(session.get()), 51);
}

} // namespace
