# How this project compiles its own programs. Linked PRIVATE, never exported.
add_library(pbd_strict INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(pbd_strict INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    -ffp-contract=off) # a fused multiply-add rounds once instead of twice: other bits than without
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Sanitize") # GCC takes the sanitizers' own code for uninitialised reads
    target_compile_options(pbd_strict INTERFACE -Werror)
  endif()
else()
  target_compile_options(pbd_strict INTERFACE /W4 /permissive-)
endif()

# Some programs are built a second time for AVX2, and run where the processor has it.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceRuns)
check_cxx_compiler_flag(-mavx2 PBD_COMPILER_HAS_AVX2)
if(PBD_COMPILER_HAS_AVX2 AND NOT CMAKE_CROSSCOMPILING)
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }"
    PBD_CPU_HAS_AVX2)
endif()
