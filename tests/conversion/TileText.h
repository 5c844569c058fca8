//===- TileText.h - Short forms for writing tile text in tests ---------------===//
#ifndef NOVA_TESTS_CONVERSION_TILETEXT_H
#define NOVA_TESTS_CONVERSION_TILETEXT_H

#include <map>
#include <string>

namespace nova::test {

/// `text` with every `$key` replaced by its value and then every `s<x>` by `!nova.tensor<x[]>`, every `b<x>` by
/// `!tile.buffer<x>`.
std::string expand(std::string text, const std::map<std::string, std::string> &values);

/// The name of an element type: "f32", "f64", "i32", "i64".
template <typename T> constexpr const char *typeName = nullptr;
template <> inline constexpr const char *typeName<float> = "f32";
template <> inline constexpr const char *typeName<double> = "f64";
template <> inline constexpr const char *typeName<int> = "i32";
template <> inline constexpr const char *typeName<long> = "i64";

} // namespace nova::test

#endif
