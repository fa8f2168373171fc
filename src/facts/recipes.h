#pragma once
// Published recipes of language models that were trained to their end: what a healthy run looks like on paper.
//
// They judge nothing by themselves. A rule asks which of them are near a model's size and how far its own settings lie
// from all of them; and none of them may raise an error (tests/unit/recipes_test.cpp).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay {

/// How well a row is known.
enum class Mark : std::uint8_t {
  kSource,  // read in the launcher or configuration that was published
  kPaper,   // a paper or a page about it
  kMemory,  // common knowledge, not checked against a file
};

/// A decoder's matrices. layers 0: not a plain decoder (latent attention, experts, no attention).
struct RecipeShape {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t ffn = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t vocabulary = 0;
  std::int64_t sequence = 0;
  bool gated = false;
  bool tied = false;
};

/// A warm-up in the unit in which it was published.
struct Warmup {
  enum class Unit : std::uint8_t { kSteps, kTokens, kShareOfRun };
  double length = 0;
  Unit unit = Unit::kSteps;
  static constexpr Warmup steps(double length) { return {length, Unit::kSteps}; }
  static constexpr Warmup tokens(double length) { return {length, Unit::kTokens}; }
  static constexpr Warmup share(double length) { return {length, Unit::kShareOfRun}; }
};

struct PublishedIn {
  std::string_view text;
  Mark mark = Mark::kSource;
};

struct Recipe {
  std::string_view model;
  double parameters = 0;
  double active = 0;        // that one token meets; the same without experts
  double tokens = 0;        // 0: not told
  double batch_tokens = 0;  // of one step, in the end
  double peak_rate = 0;
  Warmup warmup;
  PublishedIn source;
  RecipeShape shape;
  // What most have in common: beta1 0.9, beta2 0.95, gradients clipped at 1, a cosine or linear decay to a tenth, and
  double epsilon = 1e-8;
  double weight_decay = 0.1;
  std::string_view optimizer = "adamw";
};

std::span<const Recipe> recipes();

/// The peak learning rates of AdamW recipes whose (active) size is within a factor of `within` of `parameters`.
struct RecipeRange {
  const Recipe* lowest = nullptr;  // by peak learning rate
  const Recipe* highest = nullptr;
  const Recipe* nearest = nullptr;  // by size
  std::size_t count = 0;
};
/// Nothing where none is near.
std::optional<RecipeRange> recipes_near(double parameters, double within);

/// The greatest peak learning rate of any AdamW recipe: of the smallest models.
const Recipe& recipe_of_greatest_rate();

}  // namespace assay
