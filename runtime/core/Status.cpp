//===- Status.cpp ---------------------------------------------------------===//

#include "runtime/core/Status.h"

using namespace nova::runtime;

// Shared by all who run out of memory, since then another status cannot be allocated; nova_status_free leaves it alone.
static nova_status_t *outOfMemoryStatus() {
  static nova_status_t status{NOVA_OUT_OF_MEMORY, "out of memory"}; // short enough to need no heap
  return &status;
}

Status Status::outOfMemory() { return Status(outOfMemoryStatus()); }

extern "C" nova_code_t nova_status_code(const nova_status_t *status) { return status ? status->code : NOVA_OK; }

extern "C" const char *nova_status_message(const nova_status_t *status) {
  return status ? status->message.c_str() : "";
}

extern "C" void nova_status_free(nova_status_t *status) {
  if (status != outOfMemoryStatus())
    delete status;
}

extern "C" const char *nova_code_name(nova_code_t code) {
  switch (code) {
  case NOVA_OK:
    return "ok";
  case NOVA_INVALID_ARGUMENT:
    return "invalid argument";
  case NOVA_SHAPE_MISMATCH:
    return "shape mismatch";
  case NOVA_MODULE_DAMAGED:
    return "module damaged";
  case NOVA_MODULE_INVALID:
    return "module invalid";
  case NOVA_TARGET_UNSUPPORTED:
    return "target unsupported";
  case NOVA_IO_ERROR:
    return "input/output error";
  case NOVA_OUT_OF_MEMORY:
    return "out of memory";
  case NOVA_DIVISION_BY_ZERO:
    return "division by zero";
  case NOVA_CAPACITY_EXCEEDED:
    return "capacity exceeded";
  case NOVA_INDEX_OUT_OF_RANGE:
    return "index out of range";
  case NOVA_FILE_DAMAGED:
    return "file damaged";
  case NOVA_CANCELLED:
    return "cancelled";
  case NOVA_INTERNAL:
    return "internal error";
  }
  return "unknown code";
}
