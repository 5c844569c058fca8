// The conversion as a pass, for nova-opt and its tests.
#ifndef NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PASSES_H
#define NOVA_COMPILER_CONVERSION_GRAPHTOTILES_PASSES_H

namespace nova {
/// `--nova-tiles`: replaces the core-form graph of a module by its tile kernels, through its extend where it has one
/// (unless `whole`); option `plan` prints the plan to standard output.
void registerTilePasses();
} // namespace nova

#endif
