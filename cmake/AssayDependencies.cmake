# What the library uses. A new library is added here and, if it is linked, in assayConfig.cmake.in; its Debian package
# in the list of ./dev.

find_package(fmt CONFIG REQUIRED)
find_package(simdjson CONFIG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd CONFIG REQUIRED)
find_package(LibArchive REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)
find_package(tomlplusplus CONFIG REQUIRED)
find_package(HWY CONFIG REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_package(Threads REQUIRED)
set(ASSAY_LIBRARIES fmt::fmt simdjson::simdjson ZLIB::ZLIB zstd::libzstd_shared LibArchive::LibArchive yaml-cpp
  tomlplusplus::tomlplusplus hwy::hwy ICU::uc Threads::Threads)

# Languages of documents. Debian's package (libcld2-dev) has no CMake file; its cld2_full has tables without the code.
find_path(CLD2_INCLUDE_DIR cld2/public/compact_lang_det.h)
find_library(CLD2_LIBRARY cld2)
mark_as_advanced(CLD2_INCLUDE_DIR CLD2_LIBRARY)
if(CLD2_INCLUDE_DIR AND CLD2_LIBRARY)
  set(ASSAY_CLD2 ON)
  list(APPEND ASSAY_LIBRARIES ${CLD2_LIBRARY})
else()
  message(STATUS "CLD2 not found: of languages, only those with a script of their own and English are told")
endif()

# Used while compiling only: the installed library does not ask its users for these.
find_package(nlohmann_json CONFIG REQUIRED)
find_package(FastFloat CONFIG REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)  # libprotozero-dev; it comes without a CMake package
add_library(assay_protozero INTERFACE IMPORTED)
target_include_directories(assay_protozero INTERFACE ${PROTOZERO_INCLUDE_DIR})
set(ASSAY_HEADER_ONLY $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:FastFloat::fast_float>
  $<BUILD_INTERFACE:assay_protozero>)

if(ASSAY_CLI)
  find_package(CLI11 CONFIG REQUIRED)
  set(MPI_CXX_SKIP_MPICXX ON)  # the interface of C
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(STATUS "MPI not found: assay-mpi, which runs all-reduces for real, is left out (libopenmpi-dev, openmpi-bin)")
  endif()
endif()
