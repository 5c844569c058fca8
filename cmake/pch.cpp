// Compiles pch.h; see NovaMLIR.cmake.
