//===- Tensor.h - Dense host tensors -----------------------------------------===//
#ifndef NOVA_COMPILER_REFERENCE_TENSOR_H
#define NOVA_COMPILER_REFERENCE_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace nova::reference {

/// Element types. An i1 is one byte, 0 or 1; an i4 is one byte too, -8 .. 7.
enum class Element { F64, F32, I64, I32, I1, BF16, F16, I8, I4 };
inline constexpr Element allElements[] = {Element::F64,  Element::F32, Element::I64, Element::I32, Element::I1,
                                          Element::BF16, Element::F16, Element::I8,  Element::I4};

/// f64, f32, bf16, f16.
inline bool isFloat(Element element) {
  return element == Element::F64 || element == Element::F32 || element == Element::BF16 || element == Element::F16;
}
/// Kept, but not computed with: bf16, f16, i8, i4.
inline bool isStorage(Element element) { return element > Element::I1; }

/// Bytes of one entry.
size_t byteSize(Element element);

/// The type's name in graphs: `f64`.
const char *toString(Element element);

/// Sizes of the axes, or one index per axis.
using Shape = std::vector<int64_t>;

/// `f64[2, 3]`.
std::string toString(Element element, const Shape &shape);

/// The bytes of a tensor; none when they are more than 63 bits hold.
std::optional<int64_t> byteSize(Element element, const Shape &shape);

/// Memory of a size that the user chose: without it there is a std::bad_alloc, also in a program whose new-handler ends
/// it (LLVM's), so that who asked can say what for.
template <class T> struct TensorAllocator {
  using value_type = T;
  T *allocate(size_t count) {
    if (count <= PTRDIFF_MAX / sizeof(T))
      if (void *memory = std::malloc(count * sizeof(T)))
        return static_cast<T *>(memory);
    throw std::bad_alloc();
  }
  void deallocate(T *memory, size_t) { std::free(memory); }
  bool operator==(const TensorAllocator &) const { return true; }
  bool operator!=(const TensorAllocator &) const { return false; }
};

/// A dense row-major tensor that owns its entries; rank 0 holds one entry. A value type.
struct Tensor {
  Element element = Element::F64;
  Shape shape;
  std::vector<char, TensorAllocator<char>> bytes;

  Tensor() = default;
  /// Entries are zero. Throws std::bad_alloc without memory for them.
  Tensor(Element element, Shape shape);

  /// The number of entries.
  int64_t size() const { return static_cast<int64_t>(bytes.size() / byteSize(element)); }

  /// The entries: double, float, int64_t, int32_t, (i1) uint8_t, and of Storage.h BFloat16, Float16, (i8) int8_t, Int4.
  template <class T> T *data() { return reinterpret_cast<T *>(bytes.data()); }
  template <class T> const T *data() const { return reinterpret_cast<const T *>(bytes.data()); }
};

} // namespace nova::reference

#endif // NOVA_COMPILER_REFERENCE_TENSOR_H
