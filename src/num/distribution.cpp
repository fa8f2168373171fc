// Random numbers of a distribution, by counter.
//
// Each element owns two words of 32 bits of its stream (Philox, num/philox.h), and what it needs beyond them comes from
// counters that carry its index and the attempt. The stream is under a key of its own, made by Philox from seed, stream
// and distribution.
// Normal numbers: the ziggurat of Marsaglia and Tsang (J. Stat. Software 5, 2000) with 256 layers of equal area, in
// 98.5 % of the cases one table, one comparison of integers and one product, which is why it is taken here: nothing in
// it depends on a library's log or cos, as the method of Box and Muller does, so the bits are the same everywhere.
// Layer (8 bits), sign (1 bit) and place in the layer (52 bits) come from separate bits of the words; with shared ones
// the numbers fail tests of randomness (Doornik: An improved ziggurat method to generate normal random samples, 2005).
// Places are the middles of 2^52 intervals: neither 0 nor an end is drawn.
// The slow path asks whether a point lies below exp(-x²/2). The C library's exp answers where it is clear; where it is
// not, within 10^-12, the double-double does, so that a library's last bit never decides. The tail beyond 3.654 is two
// exponential numbers (Marsaglia 1964) by the double-double log. The tables are computed the same way.
// Uniform: the middles of 2^52 intervals; rounded to FP32 the end 1 is kept away. Student's t of 3 degrees: a normal
// number over the root mean square of three others.

#include "num/distribution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/ascii.h"
#include "base/nearest.h"
#include "num/double_double.h"
#include "num/double_double_tables.h"
#include "num/philox.h"
#include "num/round_plan.h"

namespace assay {

namespace {

constexpr std::size_t kLayers = 256;
constexpr double kTailFrom = 3.6541528853610088;  // where the tail has the layers' area
constexpr double kPlaces = 0x1p52;
constexpr double kUnclear = 1e-12;  // a C library's exp is right to 1e-15
constexpr std::size_t kChunk = 512;
constexpr std::size_t kNormalsPerT = 4;

double middle(std::uint64_t word) { return static_cast<double>(static_cast<std::int64_t>(word >> 12)) + 0.5; }

double gauss(double x) { return to_double(exp(DoubleDouble(x) * x * -0.5)); }

// Layer 0 is the tail and what lies below its height; layer i reaches from height[i] to height[i - 1].
struct Ziggurat {
  std::array<double, kLayers> width;        // of the layer, in places
  std::array<std::uint64_t, kLayers> keep;  // places below it lie under the curve
  std::array<double, kLayers> height;

  Ziggurat() {
    const DoubleDouble from = kTailFrom;
    const DoubleDouble at_tail = exp(from * from * -0.5);
    // Beyond r there is √(π/2) erfc(r/√2).
    const DoubleDouble area = from * at_tail + double_double_tables::kRootHalfPi * erfc(from / sqrt(DoubleDouble(2)));
    DoubleDouble above = area / at_tail;
    DoubleDouble edge = from;
    set(0, above, from / above);
    for (std::size_t i = kLayers - 1; i > 0; --i) {
      height[i] = gauss(edge.hi);
      const DoubleDouble next = i == 1 ? DoubleDouble(0) : sqrt(log(area / edge + exp(edge * edge * -0.5)) * -2.0);
      set(i, edge, next / edge);
      edge = next;
    }
    height[0] = 1;
  }

 private:
  void set(std::size_t layer, const DoubleDouble& edge, const DoubleDouble& kept) {
    width[layer] = std::ldexp(to_double(edge), -52);
    keep[layer] = static_cast<std::uint64_t>(to_double(kept) * kPlaces);
  }
};

const Ziggurat& ziggurat() {
  static const Ziggurat tables;
  return tables;
}

// A stream of one seed: words for everybody, and more words for those that need them.
struct Words {
  std::array<std::uint32_t, 2> key;

  std::uint64_t seed() const { return key[0] | std::uint64_t{key[1]} << 32; }
  std::array<std::uint64_t, 2> more(std::uint64_t element, std::uint32_t attempt) const {
    const auto words =
        philox({static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(element >> 32), attempt, 0}, key);
    return {words[0] | std::uint64_t{words[1]} << 32, words[2] | std::uint64_t{words[3]} << 32};
  }
};

Words words_of(const Draw& how) {
  const auto block = philox({static_cast<std::uint32_t>(how.stream), static_cast<std::uint32_t>(how.stream >> 32),
                             static_cast<std::uint32_t>(how.distribution) + 1, 0},
                            {static_cast<std::uint32_t>(how.seed), static_cast<std::uint32_t>(how.seed >> 32)});
  return {{block[0], block[1]}};
}

double with_sign(double size, std::uint64_t word) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) ^ ((word & 0x100) << 55));
}

// -log of a uniform number.
double exponential(std::uint64_t word) { return -to_double(log(DoubleDouble(middle(word) / kPlaces))); }

double tail(const Words& words, std::uint64_t element, std::uint32_t attempt) {
  for (;; ++attempt) {
    const auto [first, second] = words.more(element, attempt);
    const double beyond = exponential(first) / kTailFrom;
    if (2 * exponential(second) >= beyond * beyond) return kTailFrom + beyond;
  }
}

bool below_curve(double x, double height) {
  const double curve = std::exp(-0.5 * x * x);
  return std::fabs(curve - height) > kUnclear ? height < curve : DoubleDouble(height) < exp(DoubleDouble(x) * x * -0.5);
}

// A number whose word did not lie within its layer's kept part.
double slow_normal(const Ziggurat& tables, const Words& words, std::uint64_t element, std::uint64_t word) {
  for (std::uint32_t attempt = 1;; ++attempt) {
    const std::size_t layer = word % kLayers;
    const double x = middle(word) * tables.width[layer];
    if (word >> 12 < tables.keep[layer]) return with_sign(x, word);
    if (layer == 0) return with_sign(tail(words, element, attempt), word);
    const auto [first, second] = words.more(element, attempt);
    const double step = tables.height[layer - 1] - tables.height[layer];
    if (below_curve(x, tables.height[layer] + middle(first) / kPlaces * step)) return with_sign(x, word);
    word = second;
  }
}

std::uint64_t word_at(const std::uint32_t* words, std::size_t i) {
  return words[2 * i] | std::uint64_t{words[2 * i + 1]} << 32;
}

void fill_words(const Words& words, std::uint64_t first, std::uint32_t* out, std::size_t count) {
  random_words(words.seed(), 2 * first, out, 2 * count);
}

// Precondition, here and below: at most kChunk numbers.
void normals(const Words& words, std::uint64_t first, double* out, std::size_t count) {
  std::array<std::uint32_t, 2 * kChunk> random;
  fill_words(words, first, random.data(), count);
  const Ziggurat& tables = ziggurat();
  // Without branches; which ones have to be done again is written down.
  std::array<std::uint32_t, kChunk> again;
  std::size_t slow = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = word_at(random.data(), i);
    const std::size_t layer = word % kLayers;
    out[i] = with_sign(middle(word) * tables.width[layer], word);
    again[slow] = static_cast<std::uint32_t>(i);
    slow += word >> 12 < tables.keep[layer] ? 0 : 1;
  }
  for (std::size_t k = 0; k < slow; ++k) {
    const std::size_t i = again[k];
    out[i] = slow_normal(tables, words, first + i, word_at(random.data(), i));
  }
}

void uniforms(const Words& words, std::uint64_t first, double* out, std::size_t count) {
  std::array<std::uint32_t, 2 * kChunk> random;
  fill_words(words, first, random.data(), count);
  for (std::size_t i = 0; i < count; ++i) out[i] = middle(word_at(random.data(), i)) / kPlaces;
}

void students(const Words& words, std::uint64_t first, double* out, std::size_t count) {
  std::array<double, kChunk> four;
  constexpr std::size_t kAtOnce = kChunk / kNormalsPerT;
  for (std::size_t done = 0; done < count; done += kAtOnce) {
    const std::size_t now = std::min(kAtOnce, count - done);
    normals(words, kNormalsPerT * (first + done), four.data(), kNormalsPerT * now);
    for (std::size_t i = 0; i < now; ++i) {
      const double* z = four.data() + kNormalsPerT * i;
      out[done + i] = z[0] / std::sqrt((z[1] * z[1] + z[2] * z[2] + z[3] * z[3]) / 3);
    }
  }
}

void standard(const Draw& how, const Words& words, std::uint64_t first, double* out, std::size_t count) {
  const double last = how.as_float ? 1 - 0x1p-24 : 1;  // what rounds to 1 in FP32 does not
  switch (how.distribution) {
    case Distribution::kNormal: return normals(words, first, out, count);
    case Distribution::kHeavyTailed: return students(words, first, out, count);
    case Distribution::kPositive:
      normals(words, first, out, count);
      for (std::size_t i = 0; i < count; ++i) out[i] = std::fabs(out[i]);
      return;
    case Distribution::kUniform:
      uniforms(words, first, out, count);
      for (std::size_t i = 0; i < count; ++i) out[i] = std::min(out[i], last);
      return;
    case Distribution::kSymmetric:
      uniforms(words, first, out, count);
      for (std::size_t i = 0; i < count; ++i) out[i] = std::clamp(2 * out[i] - 1, -last, last);
      return;
  }
}

}  // namespace

const std::vector<DistributionFacts>& distributions() {
  constexpr double kMeanOfPositive = 0.79788456080286536;  // √(2/π)
  static const std::vector<DistributionFacts> all = {
      {Distribution::kNormal, "normal", {"gaussian", "randn"}, {"normal", "正态分布"}, 0, 1, kMeanOfPositive},
      {Distribution::kUniform,
       "uniform",
       {"rand"},
       {"uniform between 0 and 1", "0 到 1 的均匀分布"},
       0.5,
       1.0 / 12,
       0.5},
      {Distribution::kSymmetric,
       "symmetric",
       {"uniform-symmetric"},
       {"uniform between -1 and 1", "-1 到 1 的均匀分布"},
       0,
       1.0 / 3,
       0.5},
      {Distribution::kPositive,
       "positive",
       {"half-normal", "abs-normal"},
       {"magnitudes of normal numbers", "正态分布的绝对值"},
       kMeanOfPositive,
       1 - kMeanOfPositive * kMeanOfPositive,
       kMeanOfPositive},
      {Distribution::kHeavyTailed,
       "heavy-tailed",
       {"student-t", "t3"},
       {"Student's t with 3 degrees of freedom", "自由度为 3 的 t 分布"},
       0,
       3,
       1.1026577908435840},  // 2√3/π
  };
  return all;
}

const DistributionFacts& facts_of(Distribution distribution) {
  return distributions()[static_cast<std::size_t>(distribution)];
}

Result<Distribution> distribution_named(std::string_view name) {
  std::string wanted = lower(name);
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  std::vector<std::string_view> known;
  for (const DistributionFacts& facts : distributions()) {
    if (facts.name == wanted || std::ranges::count(facts.also, wanted) > 0) return facts.id;
    known.push_back(facts.name);
    known.insert(known.end(), facts.also.begin(), facts.also.end());
  }
  const std::string guess = nearest(wanted, known);
  std::string hint = guess.empty() ? "there are" : "did you mean '" + guess + "'?";
  if (guess.empty()) {
    for (const DistributionFacts& facts : distributions()) hint += " " + facts.name;
  }
  return fail(ErrorCode::kUsage, "unknown distribution '" + std::string(name) + "'", {}, std::move(hint));
}

void draw(const Draw& how, std::uint64_t first, std::span<double> out) {
  const Words words = words_of(how);
  for (std::size_t done = 0; done < out.size(); done += kChunk) {
    const std::span<double> now = out.subspan(done, std::min(kChunk, out.size() - done));
    standard(how, words, first + done, now.data(), now.size());
    for (double& value : now) value = how.mean + how.deviation * value;
    if (how.as_float) {
      for (double& value : now) value = static_cast<double>(static_cast<float>(value));
    }
  }
}

}  // namespace assay
