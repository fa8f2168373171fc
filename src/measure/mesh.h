#pragma once
// MaxText's mesh of devices: it is told axis by axis, inside a slice (ici_) and between slices (dcn_).

#include <vector>

#include "assay/run.h"
#include "measure/factors.h"

namespace assay {

/// What a canonical size is the product of. No factors: nothing was said of its axes, or one is left to the program.
struct MeshSize {
  std::string_view key;  // setting::kWorldSize, kTensorParallelSize, …
  Product product;
};

/// The sizes that the axes determine, each above 1 but for the world.
std::vector<MeshSize> mesh_sizes(const Config& config);

}  // namespace assay
