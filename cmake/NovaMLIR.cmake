# Finds MLIR 19 and defines nova_mlir_library(): a static library that shares one precompiled header of MLIR's.
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
# LLVM's tablegen() names what it writes relative to the build folder, as CMake expected before 3.20. With the new policy
# Ninja finds every generated file out of date in every build.
cmake_policy(SET CMP0116 OLD)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(NOVA_MLIR_INCLUDES ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})
separate_arguments(NOVA_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

# The header takes 25 s to parse; every target that links nova_pch reuses its one compilation.
add_library(nova_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_include_directories(nova_pch SYSTEM PUBLIC ${NOVA_MLIR_INCLUDES})
target_compile_definitions(nova_pch PUBLIC ${NOVA_LLVM_DEFINITIONS})
target_precompile_headers(nova_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Lets ccache reuse objects built with a precompiled header.
  target_compile_options(nova_pch PUBLIC "SHELL:-Xclang -fno-pch-timestamp")
endif()

# nova_mlir_library(name SOURCES... DEPENDS targets... LINK libraries...)
function(nova_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  nova_use_mlir(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# nova_use_mlir(target): include paths, definitions, the precompiled header and the shared libraries.
function(nova_use_mlir name)
  target_include_directories(${name} SYSTEM PUBLIC ${NOVA_MLIR_INCLUDES})
  target_compile_definitions(${name} PRIVATE ${NOVA_LLVM_DEFINITIONS})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # CMake would add -fPIE, which does not match the precompiled header.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${name} REUSE_FROM nova_pch)
  target_link_libraries(${name} PUBLIC MLIR LLVM)
endfunction()
