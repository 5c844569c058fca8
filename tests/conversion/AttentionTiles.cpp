#include "tests/conversion/AttentionTiles.h"

namespace nova::test {

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string attentionTiles(const std::string &type, int block) {
  std::string text = R"(
tile.storage @Kp symbols SYMBOLS : !tile.buffer<T[d, n], panels>
tile.storage @Vp symbols SYMBOLS : !tile.buffer<T[n, e], pages>
tile.kernel @pack_k symbols SYMBOLS rows <m> position <t> block 256 {
^bb0(%K: !tile.buffer<T[m, d], rows>, %Kp: !tile.buffer<T[d, n], panels>):
  tile.pack %K -> %Kp transposed : <T[m, d], rows> -> <T[d, n], panels>
}
tile.kernel @pack_v symbols SYMBOLS rows <m> position <t> block 256 {
^bb0(%V: !tile.buffer<T[m, e], rows>, %Vp: !tile.buffer<T[n, e], pages>):
  tile.pack %V -> %Vp : <T[m, e], rows> -> <T[n, e], pages>
}
tile.kernel @attention symbols SYMBOLS rows <m> position <t> block BLOCK descending {
^bb0(%Q: !tile.buffer<T[m, d], rows>, %Kp: !tile.buffer<T[d, n], panels>, %Vp: !tile.buffer<T[n, e], pages>,
     %O: !tile.buffer<T[m, e], rows>):
  %S = tile.scratch : <T[m, n], rows>
  %M0 = tile.scratch : <T[m, 1], rows>
  %M = tile.scratch : <T[m, 1], rows>
  %Sum = tile.scratch : <T[m, 1], rows>
  tile.contract %Q, %Kp -> %S columns CAUSAL : <T[m, d], rows>, <T[d, n], panels> -> <T[m, n], rows>
  tile.pass width <n> columns CAUSAL ins(%S : !tile.buffer<T[m, n], rows>) stores() reduces(%M0 : !tile.buffer<T[m, 1], rows>)
      kinds [#tile.reduce<max>] hide [0] {
  ^bb0(%s: !nova.tensor<T[]>, %i: !nova.tensor<i64[]>, %j: !nova.tensor<i64[]>):
    tile.yield %s : !nova.tensor<T[]>
  }
  %d = tile.dim <d> : <i64[]>
  %df = "nova.cast"(%d) {to = f64} : (!nova.tensor<i64[]>) -> !nova.tensor<f64[]>
  %root = "nova.sqrt"(%df) : (!nova.tensor<f64[]>) -> !nova.tensor<f64[]>
  %rd = "nova.cast"(%root) {to = T} : (!nova.tensor<f64[]>) -> !nova.tensor<T[]>
  tile.pass width <1> ins(%M0 : !tile.buffer<T[m, 1], rows>) stores(%M : !tile.buffer<T[m, 1], rows>) reduces()
      kinds [] hide [] {
  ^bb0(%m0: !nova.tensor<T[]>, %i: !nova.tensor<i64[]>, %j: !nova.tensor<i64[]>):
    %m = "nova.divide"(%m0, %rd) : (!nova.tensor<T[]>, !nova.tensor<T[]>) -> !nova.tensor<T[]>
    tile.yield %m : !nova.tensor<T[]>
  }
  tile.pass width <n> columns CAUSAL ins(%S, %M : !tile.buffer<T[m, n], rows>, !tile.buffer<T[m, 1], rows>)
      stores(%S : !tile.buffer<T[m, n], rows>) reduces(%Sum : !tile.buffer<T[m, 1], rows>)
      kinds [#tile.reduce<sum>] hide [0] {
  ^bb0(%s: !nova.tensor<T[]>, %m: !nova.tensor<T[]>, %i: !nova.tensor<i64[]>, %j: !nova.tensor<i64[]>):
    %q = "nova.divide"(%s, %rd) : (!nova.tensor<T[]>, !nova.tensor<T[]>) -> !nova.tensor<T[]>
    %z = "nova.subtract"(%q, %m) : (!nova.tensor<T[]>, !nova.tensor<T[]>) -> !nova.tensor<T[]>
    %e = "nova.exp"(%z) : (!nova.tensor<T[]>) -> !nova.tensor<T[]>
    tile.yield %e, %e : !nova.tensor<T[]>, !nova.tensor<T[]>
  }
  tile.pass width <n> columns CAUSAL ins(%S, %Sum : !tile.buffer<T[m, n], rows>, !tile.buffer<T[m, 1], rows>)
      stores(%S : !tile.buffer<T[m, n], rows>) reduces() kinds [] hide [] {
  ^bb0(%e: !nova.tensor<T[]>, %total: !nova.tensor<T[]>, %i: !nova.tensor<i64[]>, %j: !nova.tensor<i64[]>):
    %a = "nova.divide"(%e, %total) : (!nova.tensor<T[]>, !nova.tensor<T[]>) -> !nova.tensor<T[]>
    tile.yield %a : !nova.tensor<T[]>
  }
  tile.contract %S, %Vp -> %O terms CAUSAL : <T[m, n], rows>, <T[n, e], pages> -> <T[m, e], rows>
}
)";
  replaceAll(text, "SYMBOLS", R"(["d", "e", "m", "n", "t"])");
  replaceAll(text, "BLOCK", std::to_string(block));
  replaceAll(text, "CAUSAL", "<[] (d0) -> () to (d0) -> (d0 + 1)>");
  replaceAll(text, "T[", type + "[");
  replaceAll(text, "{to = T}", "{to = " + type + "}");
  return text;
}

} // namespace nova::test
