// What a command's exit code says; documented in docs/command-line.md.
#ifndef NOVA_TOOLS_NOVA_EXIT_H
#define NOVA_TOOLS_NOVA_EXIT_H

namespace nova::tool {
enum Exit : int {
  Ok = 0,
  NotHeld = 1,     // a verification did not hold
  BadInput = 2,    // the command line, a graph or its data
  Environment = 3, // disk, memory, device
};
} // namespace nova::tool

#endif
