// Constants known while the core form is built: fills of masks and literals, folded by the canonical arithmetic.
#ifndef NOVA_COMPILER_TRANSFORMS_SCALAR_H
#define NOVA_COMPILER_TRANSFORMS_SCALAR_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace nova {
/// A number of a core element type. Floats are held exactly in `real`.
struct Scalar {
  mlir::Type type;
  double real = 0;
  int64_t integer = 0;

  bool isFloat() const;
  bool isZero() const { return isFloat() ? real == 0 : integer == 0; }
  bool isInfinite() const;
  bool isTrue() const { return !isFloat() && integer != 0; }
  bool operator==(const Scalar &other) const;
};

/// The number as an element of `type`, rounded once.
Scalar castScalar(const Scalar &value, mlir::Type type);
/// The elementwise operation `op` ("nova.add", ...) on constants of one element type; nothing for a division of
/// integers by zero or an operation that is not elementwise.
std::optional<Scalar> foldScalar(llvm::StringRef op, llvm::ArrayRef<Scalar> operands);
/// What the result of a binary operation is wherever operand `side` (0 or 1) is `fill`, whatever the other one is;
/// nothing where it depends on the other. The table of docs/arithmetic.md.
std::optional<Scalar> absorb(llvm::StringRef op, unsigned side, const Scalar &fill);
} // namespace nova

#endif
