//===- AttentionTiles.h - The kernels of causal attention as tile text -------===//
#ifndef NOVA_TESTS_CONVERSION_ATTENTIONTILES_H
#define NOVA_TESTS_CONVERSION_ATTENTIONTILES_H

#include <string>

namespace nova::test {

/// Kernels pack_k, pack_v and attention over Q[m, d], K[m, d], V[m, e] after t rows, n = t + m, for "f32" or "f64".
/// Symbols in the order d, e, m, n, t. Storage: Kp and Vp.
std::string attentionTiles(const std::string &type, int block = 48);

} // namespace nova::test

#endif
