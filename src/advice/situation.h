#pragma once
// What decides in which precision a plan should run: the model, the ranks and how they share it, the device, and what
// the settings ask for now. Essay: situation.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/number_format.h"
#include "num/matrix_unit.h"
#include "rules/plan.h"

namespace assay {

/// Parameters of one device that the same ranks have copies of.
struct ParameterGroup {
  double parameters = 0;   // on a device, before anything is shared out over the ranks
  std::size_t ranks = 1;   // over which their gradients are summed; 0: not known
  std::size_t shards = 1;  // over which what is shared out is shared out; divides `ranks`
  bool experts = false;
};

/// How a framework keeps weights that are multiplied in 16 bits.
enum class Keeping : std::uint8_t {
  kUnknown,
  kCopies,    // in 16 bits, and a copy in FP32 for the optimizer (Megatron, DeepSpeed)
  kAutocast,  // in FP32; the 16 bits are made where they are multiplied (autocast of PyTorch, FSDP, MaxText)
};

struct Device {
  std::string name;                      // as the user says it; empty: not told
  std::vector<const MatrixUnit*> units;  // one for each format
  Text from;                             // what tells it
  /// Null: the device does not multiply this format, or it is not known.
  const MatrixUnit* unit(std::string_view format) const;
  bool told() const { return !units.empty(); }
};

/// Errors kUsage: an unknown name, with the nearest.
Result<Device> device_named(std::string_view name);
/// As it is named, else as the settings show: variables of Ascend's libraries. Precondition: no name, or a known one.
Device device_of(const Run& run, const std::string& name);

/// The formats that the settings, or the framework where they say nothing, ask for now. Empty: not known.
struct Asked {
  std::string products;      // "bf16", "fp16", "fp8", "fp32": what matrices are multiplied in
  std::string weights;       // what the optimizer changes
  std::string accumulation;  // of gradients, over micro-batches
  std::string reduction;     // of gradients, over ranks
  std::string moments;       // of Adam: the second
  bool keeps_the_rest = false;
};

struct Situation {
  explicit Situation(const Run& run, const Device& device);

  Plan plan;
  Device device;
  Keeping keeping = Keeping::kUnknown;
  Asked asked;

  std::optional<double> parameters;    // of the model
  std::vector<ParameterGroup> groups;  // empty: the parameters of a device are not known
  std::optional<std::size_t> ranks;    // over which gradients are summed
  std::optional<std::size_t> micro_batches;
  std::optional<std::int64_t> positions, hidden, layers, vocabulary;
  std::optional<std::int64_t> widest;  // the longest sum of a matrix product
  int zero_stage = 0;
  bool adapters = false;
  bool learned_positions = false;

 private:
  void read_shape();
  void read_ranks();
  void read_groups();
  void read_asked();
  std::optional<std::int64_t> count(std::string_view key) const;
};

}  // namespace assay
