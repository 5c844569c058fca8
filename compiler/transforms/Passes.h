// The transforms as passes, for nova-opt and its tests.
#ifndef NOVA_COMPILER_TRANSFORMS_PASSES_H
#define NOVA_COMPILER_TRANSFORMS_PASSES_H

namespace nova {
/// `--nova-core`: replaces the last graph of a module by its core form (default types); its callees go.
void registerTransformPasses();
} // namespace nova

#endif
