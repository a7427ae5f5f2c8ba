# One interface target with the flags that every translation unit of the project gets.
add_library(mehler_compile_options INTERFACE)
target_compile_options(mehler_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  # A fused multiply-add rounds once where a product and a sum round twice. Exact sums must not depend on
  # which of the two a machine has, so the compiler never fuses on its own.
  -ffp-contract=off)
if(MEHLER_WERROR)
  target_compile_options(mehler_compile_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms in std::string of GCC 12 (its bug 105651).
  target_compile_options(mehler_compile_options INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC complains of fields that designated initialisers leave at their defaults; clang does not.
  target_compile_options(mehler_compile_options INTERFACE -Wno-missing-field-initializers)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND MEHLER_UNITY_BUILD)
  # GCC takes a file that a unity build includes for a header, where a member of a file-local type would be wrong.
  target_compile_options(mehler_compile_options INTERFACE -Wno-subobject-linkage)
endif()
if(MEHLER_SANITIZE)
  target_compile_options(mehler_compile_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    # Where pointers go the address sanitizer sees; of Highway's files these made up two thirds of the compile time.
    -fno-sanitize=pointer-overflow,object-size,null)
  target_link_options(mehler_compile_options INTERFACE -fsanitize=address,undefined)
endif()
# After the above, for files that use Highway: its portable code converts numbers that are none as a processor would, which
# C++ leaves undefined.
add_library(mehler_highway_options INTERFACE)
# Of Highway's instruction sets on x86, those that are left out, as a sum of its HWY_ bits: SSSE3 (processors of 2006), and
# what would repeat AVX-512 for newer processors (AVX3_DL, ZEN4, SPR). A fifth of the time to compile, or half with a newer
# Highway. "readers" of scripts/check leaves more out.
set(MEHLER_LEFT_OUT_INSTRUCTION_SETS 4304 CACHE STRING "Highway's instruction sets that are not compiled, a sum of HWY_ bits")
mark_as_advanced(MEHLER_LEFT_OUT_INSTRUCTION_SETS)
target_compile_definitions(mehler_highway_options INTERFACE HWY_DISABLED_TARGETS=${MEHLER_LEFT_OUT_INSTRUCTION_SETS})
if(MEHLER_SANITIZE)
  target_compile_options(mehler_highway_options INTERFACE -fno-sanitize=float-cast-overflow)
endif()
if(MEHLER_FUZZ)
  # What the fuzzer steers by: it sees which branches of the library an input takes.
  target_compile_options(mehler_compile_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(mehler_compile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
