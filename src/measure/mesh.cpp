// Each axis has a size inside a slice and one between slices; what is trained sees their product. An axis of -1 takes
// what is left of the devices, so that neither it nor the world is known from the file; two of them are -1 if nothing
// is said (MaxText, configs/base.yml: ici_fsdp_parallelism, dcn_data_parallelism). All devices share the batch: it is
// per_device_batch_size times the world, whatever the axes are (maxtext_utils, calculate_global_batch_sizes).

#include "measure/mesh.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

#include "assay/setting.h"
#include "base/bytes.h"

namespace assay {

namespace {

struct Axis {
  const char* name;
  std::string_view canonical;  // empty: only a part of the world
};
constexpr auto kAxes = std::to_array<Axis>({
    {"data", {}},
    {"fsdp", {}},
    {"fsdp_transpose", {}},
    {"expert", setting::kExpertParallelSize},
    {"autoregressive", {}},
    {"pipeline", setting::kPipelineParallelSize},
    {"context", setting::kContextParallelSize},
    {"sequence", setting::kContextParallelSize},
    {"tensor", setting::kTensorParallelSize},
    {"tensor_transpose", setting::kTensorParallelSize},
    {"tensor_sequence", setting::kTensorParallelSize},
});

struct Part {
  const char* prefix;
  const char* en;
  const char* zh;
  std::string_view left;  // the axis that takes what is left, if nothing is said
};
constexpr auto kParts =
    std::to_array<Part>({{"ici", "in a slice", "（片内）", "fsdp"}, {"dcn", "between slices", "（片间）", "data"}});

// 0: what is left of the devices. said: whether the file says it.
std::int64_t size_of(const Config& config, const Part& part, const Axis& axis, bool& said) {
  const std::string key = fmt::format("{}_{}_parallelism", part.prefix, axis.name);
  const Setting* one = config.find(key);
  if (one == nullptr) return axis.name == part.left ? 0 : 1;
  said = true;
  const auto number = one->number();
  const auto size = number ? exact_integer(*number) : std::nullopt;
  return size && *size > 0 ? *size : 0;
}

}  // namespace

std::vector<MeshSize> mesh_sizes(const Config& config) {
  std::vector<MeshSize> out;
  MeshSize world{setting::kWorldSize, {}};
  bool said = false;
  bool whole = true;
  for (const Axis& axis : kAxes) {
    for (const Part& part : kParts) {
      const std::int64_t size = size_of(config, part, axis, said);
      whole = whole && size > 0;
      if (size <= 1) continue;
      const Factor factor{size, part.en, part.zh, axis.canonical.empty() ? setting::kWorldSize : axis.canonical};
      world.product.times(factor);
      if (axis.canonical.empty()) continue;
      const auto at = std::find_if(out.begin(), out.end(), [&](const MeshSize& o) { return o.key == axis.canonical; });
      (at == out.end() ? out.emplace_back(MeshSize{axis.canonical, {}}) : *at).product.times(factor);
    }
  }
  if (!said) return {};
  if (whole && !world.product.from().empty()) out.push_back(std::move(world));
  return out;
}

}  // namespace assay
