// Kernels that break the contract of TileOps.td are refused, with what was found and what was expected.
#include "tests/conversion/KernelHarness.h"
#include "tests/conversion/TileText.h"
#include <gtest/gtest.h>

namespace nova::test {
namespace {

void expectRefused(const std::string &text, const std::string &message) {
  std::string diagnostics = refusal(expand(text, {}), "x86-64-v3");
  EXPECT_NE(diagnostics.find(message), std::string::npos) << "found: " << diagnostics << "\nexpected: " << message;
}

std::string kernel(const std::string &arguments, const std::string &body) {
  return "tile.kernel @k symbols [\"m\", \"n\"] rows <m> position <0> block 4 {\n^bb0(" + arguments + "):\n" + body +
         "\n}";
}

// A step on buffers a, b and c (and d) of these types.
struct Buffers {
  std::string a, b, c, d = "i1[m, n], rows";
  std::string arguments() const { return "%a: b<" + a + ">, %b: b<" + b + ">, %c: b<" + c + ">, %d: b<" + d + ">"; }
};

std::string contract(const Buffers &of, const std::string &more = "") {
  return kernel(of.arguments(),
                "tile.contract %a, %b -> %c " + more + " : <" + of.a + ">, <" + of.b + "> -> <" + of.c + ">");
}

// A pass over %a into %c, with a body of its own.
std::string pass(const Buffers &of, const std::string &body,
                 const std::string &reductions = "reduces() kinds [] hide []",
                 const std::string &arguments = "%v: s<f32>, %i: s<i64>, %j: s<i64>") {
  return kernel(of.arguments(), "tile.pass width <n> ins(%a : b<" + of.a + ">) stores(%c : b<" + of.c + ">) " +
                                    reductions + " {\n^bb0(" + arguments + "):\n" + body + "\n}");
}

std::string map(const std::string &maps, const std::string &more = "") {
  return kernel("%x: b<f32[m, n], rows>, %o: b<f32[m, n], rows>",
                "tile.map ins(%x : b<f32[m, n], rows>) out(%o : b<f32[m, n], rows>) maps [" + maps + "] " + more +
                    " {\n^bb0(%v: s<f32>, %i: s<i64>, %j: s<i64>):\n tile.yield %v : s<f32>\n}");
}

const Buffers plain = {"f32[m, n], rows", "f32[n, n], panels", "f32[m, n], rows"};
const char identity[] = "affine_map<(i, j) -> (i, j)>";
const char yieldValue[] = "tile.yield %v : s<f32>";

} // namespace

TEST(Refused, NothingOfWhatTheOthersChange) {
  for (const std::string &text : {contract(plain), pass(plain, yieldValue), map(identity)})
    EXPECT_EQ(refusal(expand(text, {}), "x86-64-v3"), "");
}

TEST(Refused, Arguments) {
  expectRefused(kernel("%x: s<f32>", ""), "has an argument of type '!nova.tensor<f32[]>'; expected a buffer");
  expectRefused(kernel("%x: b<f32[m, q], rows>", ""),
                "uses the symbol 'q' of the dimension 'q', which its 'symbols' do not list");
  expectRefused(kernel("%x: b<T[m, n], rows>", ""), "; expected f64, f32, i64, i32, i1, bf16, f16, i8, i4");
  expectRefused(kernel("%x: b<T[m, n], rows>", ""), "has element type ");
  expectRefused(kernel("%x: b<f32[m], panels>", ""), "has a packed buffer of rank 1; expected a matrix of numbers");
  expectRefused(kernel("%x: b<i1[m, n], pages>", ""), "has a packed buffer of rank 2; expected a matrix of numbers");
}

TEST(Refused, Contractions) {
  Buffers of = plain;
  of.b = "f64[n, n], panels";
  expectRefused(contract(of), "multiplies 'f32' by 'f64' into 'f32'; expected one type of numbers");
  of.b = "f32[n, n], rows";
  expectRefused(contract(of), "needs a packed global buffer on the right");
  of = plain;
  of.c = "f32[m, n, n], rows";
  expectRefused(contract(of), "needs matrices of layout 'rows' on the left and as the result");
  of = plain;
  expectRefused(contract(of, "hidden %b : b<f32[n, n], panels>"), "needs a mask [rows or 1, k] of i1");
}

TEST(Refused, Ranges) {
  expectRefused(contract(plain, "terms <[q] (d0)[s0] -> () to (d0)[s0] -> (s0)>"),
                "uses the symbol 'q' of the dimension 'q', which its 'symbols' do not list");
  for (const char *bound : {"d0 mod 3", "d0 ceildiv 2", "d0 floordiv s0", "d0 * s0"})
    expectRefused(contract(plain, "columns <[n] (d0)[s0] -> () to (d0)[s0] -> (" + std::string(bound) + ")>"),
                  "has a range with a bound that is no sum of products by, and quotients by, constants");
}

TEST(Refused, Passes) {
  Buffers of = plain;
  expectRefused(pass(of, "tile.yield"), "must end in a yield of 1 values");
  expectRefused(pass(of, "%y = \"nova.transpose\"(%v) {permutation = array<i64>} : (s<f32>) -> s<f32>\n"
                         "tile.yield %y : s<f32>"),
                "is no elementwise operation that tile code knows");
  expectRefused(pass(of, "%w = \"nova.negate\"(%v) : (s<f32>) -> !nova.tensor<f32[n]>\n"
                         "tile.yield %v : s<f32>"),
                "computes a '!nova.tensor<f32[n]>'; expected a scalar");
  expectRefused(pass(of, yieldValue, "reduces() kinds [] hide []", "%v: s<f32>, %i: s<i64>"),
                "has 2 block arguments; expected 3: one per input, then 2 indices");
  expectRefused(pass(of, "tile.yield %v : s<f64>", "reduces() kinds [] hide []", "%v: s<f64>, %i: s<i64>, %j: s<i64>"),
                "has an input of 'f32' for a block argument of type '!nova.tensor<f64[]>'");
  expectRefused(pass(of, yieldValue, "reduces() kinds [#tile.reduce<sum>] hide []"),
                "has 0 reductions, 1 kinds and 0 hide flags; expected as many of each");
  expectRefused(pass(of, yieldValue, "reduces(%c : b<f32[m, n], rows>) kinds [#tile.reduce<argmax>] hide [0]"),
                "cannot find the position of the greatest column");
  of.c = "f32[m], rows";
  expectRefused(pass(of, yieldValue), "writes a buffer of rank 1; expected a matrix");
  of.c = "f32[m, n], pages";
  expectRefused(pass(of, yieldValue), "works on matrices of layout 'rows'");
}

TEST(Refused, Maps) {
  for (const char *strange : {"affine_map<(i, j) -> (i, j + i)>", "affine_map<(i, j) -> (i, j * -1)>"})
    expectRefused(map(strange), "has a map with a result that is neither 0 nor made of an axis, a step and a start");
  expectRefused(map("affine_map<(i, j)[s] -> (i, j + s)>"), "has a map with 1 symbols, more than 'starts'");
  expectRefused(map("affine_map<(i, j) -> (i)>"), "has a map from 2 to 1 axes; expected from 2 to 2");
  expectRefused(map(""), "has 1 inputs and 0 maps");
  expectRefused(map(identity, "part [#nova.dim<m>] at [#nova.dim<0>, #nova.dim<0>]"),
                "has 1 sizes in 'part'; expected 2");
  expectRefused(map(identity, "part [#nova.dim<m>, #nova.dim<q>] at [#nova.dim<0>, #nova.dim<0>]"),
                "uses the symbol 'q'");
}

TEST(Refused, StepsAlongAnAxis) {
  expectRefused(kernel("%x: b<f32[m, n], rows>, %o: b<f32[m, 1], rows>",
                       "tile.reduce <sum> %x axis 2 -> %o : <f32[m, n], rows> -> <f32[m, 1], rows>"),
                "reduces axis 2 of rank 2 to rank 2; expected an axis, kept with size 1");
  expectRefused(kernel("%x: b<f32[m, n], rows>, %h: b<i1[m, n, n], rows>, %o: b<f32[m, 1], rows>",
                       "tile.reduce <sum> %x hidden %h : b<i1[m, n, n], rows> axis 1 -> %o : <f32[m, n], rows> -> "
                       "<f32[m, 1], rows>"),
                "has a mask of more axes than the operand");
  expectRefused(kernel("%x: b<f32[m, n], rows>, %i: b<i64[n], rows>, %o: b<f32[m], rows>",
                       "tile.gather %x[%i] axis 0 -> %o : <f32[m, n], rows>[<i64[n], rows>] -> <f32[m], rows>"),
                "picks along axis 0 of rank 2 by indices of rank 1 into rank 1");
  expectRefused(kernel("%x: b<f32[m, n], rows>, %i: b<f32[n], rows>, %o: b<f32[n, n], rows>",
                       "tile.gather %x[%i] axis 0 -> %o : <f32[m, n], rows>[<f32[n], rows>] -> <f32[n, n], rows>"),
                "has indices of 'f32'; expected i64 or i32");
}

TEST(Refused, Faults) {
  auto fault = [](const std::string &at, const std::string &starts = "") {
    return kernel("%x: b<f32[m, n], rows>, %i: b<i64[n], rows>, %o: b<f32[n, n], rows>",
                  "tile.gather %x[%i] axis 0 -> %o {tile.fault = #tile.fault<0, affine_map<" + at + ">, [" + starts +
                      "]>} : <f32[m, n], rows>[<i64[n], rows>] -> <f32[n, n], rows>");
  };
  EXPECT_EQ(refusal(expand(fault("(i)[s] -> (i * 2 + s)", "#nova.dim<m>"), {}), "x86-64-v3"), "");
  expectRefused(fault("(i, j) -> (i)"),
                "has a fault of 2 indices and 0 symbols; expected 1 indices and at most as many "
                "symbols as starts, 0");
  expectRefused(fault("(i)[s] -> (i + s)"), "has a fault of 1 indices and 1 symbols");
  expectRefused(fault("(i) -> (i mod 2)"),
                "has a fault whose position is not made of at most 64 axes, each an index, "
                "a step and a start");
  expectRefused(fault("(i)[s] -> (i + s)", "#nova.dim<q>"), "uses the symbol 'q' of the dimension 'q'");
  expectRefused(fault("(i)[s] -> (i + s)", "1"), "has a fault whose starts are no sizes");
}

TEST(Refused, MovesOfRows) {
  expectRefused(kernel("%x: b<f32[m, n], rows>", "%s = tile.scratch : <f32[m], rows>"),
                "must be a matrix of layout 'rows'");
  expectRefused(kernel("%x: b<f32[m, n], rows>, %o: b<f32[m, n], rows>",
                       "tile.pack %x -> %o : <f32[m, n], rows> -> <f32[m, n], rows>"),
                "packs a matrix of layout 'rows' into a packed one");
  expectRefused(kernel("%x: b<f32[m, n], rows>, %o: b<f32[n, m], pages>",
                       "tile.pack %x -> %o transposed : <f32[m, n], rows> -> <f32[n, m], pages>"),
                "transposes into panels only");
  expectRefused(kernel("%x: b<f32[m, n], rows>, %o: b<f32[m, n], pages>",
                       "tile.copy %x -> %o : <f32[m, n], rows> -> <f32[m, n], pages>"),
                "copies rows between buffers of layout 'rows'");
  expectRefused(kernel("%x: b<f32[m, n], rows>",
                       "%v = \"nova.constant\"() {value = dense<3.0> : tensor<f64>} : () -> s<f32>\n"
                       "%y = \"nova.transpose\"(%v) {permutation = array<i64>} : (s<f32>) -> s<f32>"),
                "is no step of a kernel");
}

TEST(Refused, Data) {
  expectRefused("tile.data @d dense<0.5> : tensor<1xf64> : b<i64[1], rows>",
                "holds elements that cannot be those of its type");
}

} // namespace nova::test
