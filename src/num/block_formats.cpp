// The block formats, one row each, and the lookup of either kind of format by name.

#include <algorithm>

#include "base/ascii.h"
#include "base/nearest.h"
#include "num/block.h"

namespace assay {

namespace {

constexpr const char* kOcp = "OCP Microscaling Formats (MX) Specification 1.0";

std::vector<BlockFormat> rows() {
  return {
      {.name = "mxfp8",
       .also = {"mxfp8_e4m3", "mx_fp8_e4m3"},
       .title = "MXFP8 E4M3",
       .element = "e4m3",
       .scale = "e8m0",
       .size = 32,
       .used = "FP8 training on GPUs that scale blocks",
       .source = kOcp},
      {.name = "mxfp8_e5m2",
       .also = {"mx_fp8_e5m2"},
       .title = "MXFP8 E5M2",
       .element = "e5m2",
       .scale = "e8m0",
       .size = 32,
       .used = "gradients where E4M3's range is too small",
       .source = kOcp},
      {.name = "mxint8",
       .also = {"mx_int8"},
       .title = "MXINT8",
       .element = "mxint8_element",
       .scale = "e8m0",
       .size = 32,
       .used = "inference",
       .source = kOcp},
      {.name = "mxfp6",
       .also = {"mxfp6_e2m3", "mx_fp6_e2m3"},
       .title = "MXFP6 E2M3",
       .element = "e2m3",
       .scale = "e8m0",
       .size = 32,
       .used = "weights and activations of inference",
       .source = kOcp},
      {.name = "mxfp6_e3m2",
       .also = {"mx_fp6_e3m2"},
       .title = "MXFP6 E3M2",
       .element = "e3m2",
       .scale = "e8m0",
       .size = 32,
       .used = "gradients",
       .source = kOcp},
      {.name = "mxfp4",
       .also = {"mxfp4_e2m1", "mx_fp4_e2m1", "mx_fp4"},
       .title = "MXFP4 E2M1",
       .element = "e2m1",
       .scale = "e8m0",
       .size = 32,
       .used = "weights",
       .source = kOcp},
      {.name = "nvfp4",
       .also = {"nv_fp4"},
       .title = "NVFP4",
       .element = "e2m1",
       .scale = "e4m3",
       .size = 16,
       .scaling = BlockScaling::kTwoLevel,
       .used = "4-bit training and inference on NVIDIA Blackwell",
       .source = "NVIDIA Transformer Engine, core_nvfp4.cuh"},
  };
}

std::string as_written(std::string_view name) {
  std::string out = lower(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace

const std::vector<BlockFormat>& block_formats() {
  static const std::vector<BlockFormat> formats = rows();
  return formats;
}

const BlockFormat* find_block_format(std::string_view name) {
  const std::string wanted = as_written(name);
  for (const BlockFormat& format : block_formats()) {
    if (format.name == wanted || std::find(format.also.begin(), format.also.end(), wanted) != format.also.end()) {
      return &format;
    }
  }
  return nullptr;
}

Result<AnyFormat> any_format(std::string_view name) {
  if (const BlockFormat* block = find_block_format(name)) return AnyFormat(*block);
  auto number = number_format(name);
  if (number) return AnyFormat(*std::move(number));
  std::vector<std::string_view> known;
  for (const BlockFormat& format : block_formats()) {
    known.push_back(format.name);
    known.insert(known.end(), format.also.begin(), format.also.end());
  }
  const std::string wanted = as_written(name);
  const std::string guess = nearest(wanted, known);
  Error error = std::move(number).error();
  // What begins with "mx" or "nv" means a block; anything else only where no number format was near.
  const bool means_block = wanted.starts_with("mx") || wanted.starts_with("nv");
  if (!guess.empty() && (means_block || !error.hint.starts_with("did you mean"))) {
    error.message = "unknown number format '" + std::string(name) + "'";
    error.hint = "did you mean '" + guess + "'?";
  }
  return std::unexpected(std::move(error));
}

}  // namespace assay
