// The batch grows in equal stretches of samples: with n = (G - first) / increment increments over S samples, it is
// first + k * increment while c of the samples are consumed with k <= c n / S < k + 1, and G from S on (Megatron-LM,
// core/num_microbatches_calculator.py, RampupBatchsizeNumMicroBatchesCalculator). A stretch is left at the first step
// that reaches its end, so the steps of a stretch are counted by one division.

#include "measure/rampup.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "assay/setting.h"
#include "base/bytes.h"

namespace assay {

namespace {

constexpr std::int64_t kMostIncrements = 100'000;
constexpr std::int64_t kMostSamples = 10'000'000'000'000;  // times the increments it still fits in 64 bits

std::optional<std::int64_t> increments(const Rampup& rampup, std::int64_t batch) {
  if (rampup.samples > kMostSamples || batch < rampup.first) return std::nullopt;
  const std::int64_t grown = batch - rampup.first;
  if (grown % rampup.increment != 0 || grown / rampup.increment > kMostIncrements) return std::nullopt;
  return grown / rampup.increment;
}

// Follows the stretches. of_stretch(steps, size) takes what it needs of a stretch and says whether to go on.
template <class OfStretch>
bool follow(const Rampup& rampup, std::int64_t count, OfStretch of_stretch) {
  std::int64_t consumed = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t size = rampup.first + k * rampup.increment;
    const std::int64_t left = (k + 1) * rampup.samples - consumed * count;  // times count
    if (left <= 0) continue;
    const auto divisor = checked_multiply(size, count);
    if (!divisor) return false;
    const std::int64_t steps = (left - 1) / *divisor + 1;
    if (!of_stretch(steps, size)) return true;
    consumed += steps * size;
    if (consumed > kMostSamples) return false;
  }
  return true;
}

}  // namespace

std::optional<Rampup> rampup_said(const Config& config) {
  const Setting* said = config.find(setting::kBatchRampup);
  if (said == nullptr) return std::nullopt;
  std::array<std::int64_t, 3> numbers{};
  std::size_t count = 0;
  const char* at = said->value.data();
  const char* const end = at + said->value.size();
  while (at < end) {
    if (std::string_view(" ,[]()'\"").find(*at) != std::string_view::npos) {
      ++at;
      continue;
    }
    if (count == numbers.size()) return std::nullopt;
    const auto [rest, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc() || numbers[count] <= 0) return std::nullopt;
    at = rest;
    ++count;
  }
  if (count != numbers.size()) return std::nullopt;
  return Rampup{numbers[0], numbers[1], numbers[2]};
}

std::optional<std::int64_t> steps_of_samples(const Rampup& rampup, std::int64_t batch, std::int64_t samples) {
  const auto count = increments(rampup, batch);
  if (!count) return std::nullopt;
  std::int64_t taken = 0;
  std::int64_t left = samples;
  const bool fits = follow(rampup, *count, [&](std::int64_t steps, std::int64_t size) {
    const std::int64_t possible = std::min(steps, left / size);
    taken += possible;
    left -= possible * size;
    return possible == steps;
  });
  if (!fits) return std::nullopt;
  return left >= batch ? taken + left / batch : taken;
}

std::optional<std::int64_t> samples_of_steps(const Rampup& rampup, std::int64_t batch, std::int64_t steps) {
  const auto count = increments(rampup, batch);
  if (!count) return std::nullopt;
  std::int64_t left = steps;
  std::int64_t samples = 0;
  const bool fits = follow(rampup, *count, [&](std::int64_t of_stretch, std::int64_t size) {
    const std::int64_t taken = std::min(of_stretch, left);
    left -= taken;
    samples += taken * size;
    return left > 0;
  });
  const auto rest = checked_multiply(left, batch);
  if (!fits || !rest) return std::nullopt;
  return checked_add(samples, *rest);
}

}  // namespace assay
