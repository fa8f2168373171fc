#pragma once
// Which layers of a stack are real, and which of them have experts.

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

struct LayerKinds {
  std::int64_t real = 0;
  std::int64_t dense = 0;  // of the real ones, without experts
};

/// layers: in the stack. first_dense: so many layers at its beginning have no experts. frequency: Megatron's
/// --moe-layer-freq, "2" (every second layer from the first), "([0]*3+[1]*58)" (each layer); empty: all have them.
/// noop: MindSpeed's --noop-layers, the numbers of layers that only fill a pipeline, "61,62,63". Nothing where one of
/// the texts is not understood, or a list is not as long as the stack.
std::optional<LayerKinds> layer_kinds(std::int64_t layers, std::int64_t first_dense, std::string_view frequency,
                                      std::string_view noop);

}  // namespace assay
