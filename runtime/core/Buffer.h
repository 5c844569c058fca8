//===- Buffer.h - Memory for kernels ----------------------------*- C++ -*-===//

#ifndef NOVA_RUNTIME_CORE_BUFFER_H
#define NOVA_RUNTIME_CORE_BUFFER_H

#include <cstddef>
#include <cstdint>

namespace nova::runtime {

constexpr size_t kBufferAlignment = 64;

/// Rounds up to a multiple of the buffer alignment; INT64_MAX rounds to itself so that it stays unobtainable.
inline int64_t alignedBytes(int64_t bytes) {
  constexpr int64_t mask = kBufferAlignment - 1;
  return bytes > INT64_MAX - mask ? INT64_MAX : (bytes + mask) & ~mask;
}

/// a * b for sizes, INT64_MAX where it is more than 63 bits hold: memory that cannot be had.
inline int64_t multiplyBytes(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// a + b for sizes, saturating in the same way.
inline int64_t addBytes(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// Owned memory, 64-byte aligned, zeroed when it is first handed out. Large buffers are mapped, so that pages which are
/// never touched cost nothing and growing moves no bytes.
class Buffer {
public:
  Buffer() = default;
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  void *data() const { return memory; }
  /// Whether it begins at a page and consists of whole ones, which may be mapped anew one by one. It must not be grown
  /// any more then, but with growDiscarding.
  bool isMapped() const { return mapped; }
  size_t size() const { return bytes; }

  /// Makes the buffer at least `needed` bytes large. Keeps the contents, zeroes what is new. False if there is not that
  /// much memory; the buffer is then as it was.
  [[nodiscard]] bool growKeeping(size_t needed);

  /// The buffer begins with `count` pieces of `from` bytes each. Makes each `to` bytes long, `to` >= `from`: a piece
  /// keeps its bytes at its beginning, those behind are unspecified. False if there is not that much memory; the buffer
  /// is then as it was.
  [[nodiscard]] bool spread(size_t count, size_t from, size_t to);

  /// As growKeeping, but the contents are unspecified afterwards, and if there is not that much memory the buffer is
  /// empty.
  [[nodiscard]] bool growDiscarding(size_t needed);

  /// Gives the memory back.
  void clear();

private:
  void *memory = nullptr;
  size_t bytes = 0;
  bool mapped = false;
};

} // namespace nova::runtime

#endif // NOVA_RUNTIME_CORE_BUFFER_H
