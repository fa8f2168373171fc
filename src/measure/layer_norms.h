#pragma once
// Grad norms that a log has for each layer or parameter. Essay in layer_norms.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/run.h"

namespace assay {

/// What a series is the grad norm of ("model.layers.3.mlp.up_proj.weight"); empty where it is none of a layer's.
std::string layer_of_series(const Series& series);

/// Whether a layer of that name is the output layer or an embedding, whose gradients are larger by nature: each of
/// their rows is hit by few tokens, and the loss is nearest.
bool output_or_embedding(std::string_view layer);

struct LayerNorms {
  std::size_t segment = 0;
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // of each layer, in the records that have all of them
  std::vector<std::int64_t> step;           // of these records
  std::vector<std::int64_t> line;
};

/// Nothing with fewer than four layers, or fewer than `least` records that have them all.
std::optional<LayerNorms> layer_norms(const Run& run, std::size_t segment, std::size_t least);

struct FirstMover {
  std::size_t layer = 0;
  std::size_t record = 0;  // at which it left its level
  double ratio = 0;        // norm there over its level
  std::size_t lead = 0;    // records by which it was earlier than the middle one of the layers that followed
  std::size_t followed = 0;
};

/// The layer whose norm left its level (by `ratio` times) before at least half of the others did the same.
std::optional<FirstMover> first_mover(const LayerNorms& norms, double ratio);

}  // namespace assay
