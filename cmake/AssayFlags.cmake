# How every file of the project is compiled. Nothing of this reaches a consumer of the installed library.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

# Warnings are errors with the two compilers that the tests run; another one may know warnings that we have not seen.
set(known_compiler OFF)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^19\\."))
  set(known_compiler ${PROJECT_IS_TOP_LEVEL})
endif()
option(ASSAY_WERROR "Treat warnings as errors" ${known_compiler})

add_library(assay_flags INTERFACE)
target_compile_options(assay_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-missing-field-initializers
  # g++ 12 sees these in the inlined inside of std::string where nothing is wrong (GCC bugs 105329, 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>
  # C++23 lets the compiler join a*b+c into one rounding, so the answer would depend on the processor.
  -ffp-contract=off
  $<$<BOOL:${ASSAY_WERROR}>:-Werror>)

if(ASSAY_SANITIZE)
  string(REPLACE "fuzzer" "fuzzer-no-link" sanitize_compile "${ASSAY_SANITIZE}")
  # Three checks of UBSan take a fifth of the build: AddressSanitizer stops at a null pointer and behind an object, too.
  add_compile_options(-fsanitize=${sanitize_compile} -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${sanitize_compile})
endif()

# Only saves time; the settings are what it needs to cache files that use a precompiled header, and to share between
# working trees. (mold is not used: it takes members out of the static library that nothing refers to.)
if(PROJECT_IS_TOP_LEVEL)
  find_program(ASSAY_CCACHE ccache)
  if(ASSAY_CCACHE AND (NOT CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$"))
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${ASSAY_CCACHE})
  endif()
endif()

# assay_precompile(TARGET [MORE_HEADERS...]). Standard headers only: with the heavy third-party ones in it too, g++ becomes slower, not faster. The clang presets
# leave it out, so that a file which forgets an include of its own is noticed.
function(assay_precompile target)
  if(NOT ASSAY_PCH)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <bit> <charconv> <cmath> <cstddef> <cstdint> <cstring> <expected> <functional> <limits> <map>
    <memory> <optional> <span> <string> <string_view> <utility> <variant> <vector> ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache needs it
  endif()
endfunction()
