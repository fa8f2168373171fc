#pragma once
// Formats whose numbers share a scale: OCP MX and NVFP4. Essay in block.cpp.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/number_format.h"
#include "num/round.h"

namespace assay {

enum class BlockScaling : std::uint8_t {
  kPowerOfTwo,  // MX: one E8M0 scale a block
  kTwoLevel,    // NVFP4: one E4M3 scale a block and one FP32 scale a tensor
};

struct BlockFormat {
  std::string name;               // "mxfp8": what a user types, lower case
  std::vector<std::string> also;  // other names
  std::string title;              // "MXFP8 E4M3"
  std::string element;            // names of number formats
  std::string scale;
  int size = 0;  // numbers that share a scale
  BlockScaling scaling = BlockScaling::kPowerOfTwo;
  std::string used = {};    // where it is met, a few words
  std::string source = {};  // that defines it
};

/// All block formats, most bits first.
const std::vector<BlockFormat>& block_formats();

/// By name, in any case, with '-' for '_', or by another name. Null: there is none.
const BlockFormat* find_block_format(std::string_view name);

/// Either kind, as a user names it. Errors (kUsage) as number_format has them; the nearest name may be of either kind.
using AnyFormat = std::variant<NumberFormat, BlockFormat>;
Result<AnyFormat> any_format(std::string_view name);

/// The element's number format, and that of the scale.
const NumberFormat& element_format(const BlockFormat& format);
const NumberFormat& scale_format(const BlockFormat& format);

/// How the exponent of a power-of-two scale follows from the largest magnitude of its block. E: the exponent of the
/// largest element, M: the largest element.
enum class ScaleRule : std::uint8_t {
  kFloor,    // floor(log2 amax) - E: OCP MX v1.0, clips up to a quarter of the largest value
  kCeil,     // ceil(log2(amax / M)): never clips
  kNearest,  // log2(amax / M) to the nearest power of two, the larger at half way
  kEven,     // floor(log2(amax rounded to the element's precision)) - E
};

/// In which order FP32 arithmetic makes the factor of NVFP4's elements from the tensor's factor S and the block's
/// scale s.
enum class TwoLevelOrder : std::uint8_t {
  kReciprocal,  // 1 / (s · (1 / S)): Transformer Engine, FP32 path
  kQuotient,    // S / s: Transformer Engine, BF16 path before its rounding
};

/// What NaN and infinities do to a block.
enum class NonFinite : std::uint8_t {
  kPoison,  // the scale becomes NaN, and with it the whole block: nothing is hidden, in any element format
  kKeep,    // the scale follows from the finite numbers; infinities saturate, NaN becomes what the element can hold
};

struct BlockRules {
  ScaleRule scale = ScaleRule::kFloor;
  RoundingRules rounding = {};  // of elements, which saturate: `overflow` and `flush_inputs` are not looked at
  NonFinite non_finite = NonFinite::kPoison;
  bool lowest_integer = false;  // MXINT8: -2 may be used, too; it has no positive counterpart
  TwoLevelOrder order = TwoLevelOrder::kReciprocal;
  double tensor_amax = 0;  // kTwoLevel: largest magnitude of the whole tensor; 0: of the numbers given
};

struct QuantisedBlocks {
  std::vector<std::uint8_t> scales;    // a code for each block
  std::vector<std::uint8_t> elements;  // a code for each number, not packed
  float tensor_amax = 0;               // kTwoLevel: what the scale of the tensor follows from
};

/// Rounds into blocks; the last one may be shorter. Never fails. The random number of element i is that of index i.
QuantisedBlocks quantise(const BlockFormat& format, std::span<const double> in, const BlockRules& rules = {});
QuantisedBlocks quantise(const BlockFormat& format, std::span<const float> in, const BlockRules& rules = {});

/// The numbers that the codes stand for. kPowerOfTwo: exact. kTwoLevel: in FP32, as Transformer Engine multiplies:
/// element · ((scale · amax) · (1 / 2688)). `out` has the size of `blocks.elements`.
void dequantise(const BlockFormat& format, const QuantisedBlocks& blocks, std::span<double> out);

/// By what an element of that block is multiplied: the scale, with the tensor's. NaN: the block is NaN.
double block_scale(const BlockFormat& format, const QuantisedBlocks& blocks, std::size_t block);

/// What became of one block.
struct BlockFacts {
  double amax = 0;             // largest magnitude among its finite numbers
  double scale = 0;            // block_scale
  std::size_t clipped = 0;     // beyond where rounding to nearest overflows, and pulled in
  std::size_t zeroed = 0;      // not 0 before, 0 now
  std::size_t non_finite = 0;  // NaN and infinities given
  double worst_clip = 0;       // largest share that clipping took away
  double rms_error = 0;        // of the finite numbers; NaN where the block is NaN
  double largest_error = 0;
};
/// Of each block. `in` is what `blocks` was made from.
std::vector<BlockFacts> block_facts(const BlockFormat& format, std::span<const double> in,
                                    const QuantisedBlocks& blocks);

/// Whether a number was clipped, by the definition of BlockFacts; `stored` is what it became.
bool is_clipped(const BlockFormat& format, double value, double stored, double scale);

/// 10 log10(Σ x² / Σ (x - y)²), in dB, over pairs that are finite. Infinite where nothing differs, NaN where Σ x² = 0.
double signal_to_noise(std::span<const double> exact, std::span<const double> rounded);

}  // namespace assay
