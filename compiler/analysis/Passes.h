// The passes of compiler/analysis, for nova-opt.
#ifndef NOVA_COMPILER_ANALYSIS_PASSES_H
#define NOVA_COMPILER_ANALYSIS_PASSES_H

namespace nova {
/// Registers `-nova-dependence`, which prints the dependence of every graph of a module in core form to standard output
/// (option `along`: the sequence symbol), a witness where it is not causal, and the rows that a mask may leave with
/// nothing visible. Call once per process.
void registerAnalysisPasses();
} // namespace nova

#endif
