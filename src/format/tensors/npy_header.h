#pragma once
// The header of an .npy file.

#include <cstdint>
#include <string>
#include <string_view>

#include "assay/result.h"
#include "format/tensors/npy.h"

namespace assay {

/// As much of a file as holds its header, wherever that ends.
inline constexpr std::size_t kNpyHeaderLimit = std::size_t{1} << 16;

/// From the file's first bytes: kNpyHeaderLimit of them, or all where there are fewer.
Result<NpyLayout> read_npy_header(std::string_view bytes, const std::string& path);

/// Magic, version 1.0 and header, padded as numpy does so that data begin at a multiple of 64.
std::string write_npy_header(std::string_view type, std::span<const std::uint64_t> shape);

}  // namespace assay
