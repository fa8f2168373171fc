// How a fast mode fares over many significands.
//
// Away from the ends of the range only the significands of the operands matter, so all of them can be tried: 2^(2p-2)
// pairs up to p = 12 (1 million for FP16, 4 million for HF32), 2^23 divisors or 2^24 arguments of a root in FP32. The
// steps are those of the value (fast_steps.h), done in an arithmetic that gives the same bits but is fast:
//   p <= 17   FP64 and one rounding of its bits to p. Products have 2p bits and the sums here at most 3p + 2, since
//             1 - b x is a multiple of 2^-2p and x (1 - b x) one of 2^-3p: they are exact, nothing is rounded twice
//   FP32      float and std::fma(float)
//   FP64      double and std::fma(double), a sample, compared with 128-bit results
//   others    the arithmetic of the value itself, a small sample
// The correctly rounded result is that of FP64, rounded again: harmless, as 53 >= 2p + 2, for quotients and roots
// (Figueroa 1995). For 1/√a, which FP64 rounds twice, it is computed to 128 bits where a tie is near.

#include <algorithm>
#include <bit>
#include <cmath>

#include "num/codes.h"
#include "num/fast_math.h"
#include "num/fast_seed.h"
#include "num/fast_steps.h"
#include "num/format.h"
#include "num/philox.h"
#include "num/real.h"
#include "num/round.h"

namespace assay {

namespace {

constexpr int kAllPairsBits = 12;
constexpr int kExactInDouble = 17;  // 3p + 2 <= 53
constexpr std::uint64_t kSampleInDouble = std::uint64_t{1} << 17;
constexpr std::uint64_t kSampleInFormat = std::uint64_t{1} << 13;
constexpr std::size_t kDistances = 9;  // the last: 8 or more

// FP64's pattern of a positive normal number, rounded to p bits of its significand, to nearest even.
double to_bits(double x, int p) {
  const int drop = 53 - p;
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  bits += (std::uint64_t{1} << (drop - 1)) - 1 + (bits >> drop & 1);
  return std::bit_cast<double>(bits >> drop << drop);
}

// Whether a relative error of two ulps of FP64 could turn the rounding to p bits.
bool near_tie(double x, int p) {
  const std::uint64_t tie = std::uint64_t{1} << (52 - p);
  const std::uint64_t below = std::bit_cast<std::uint64_t>(x) & (2 * tie - 1);
  return below + 4 > tie && below < tie + 4;
}

struct NarrowArithmetic {
  int p;
  double mul(double a, double b) const { return to_bits(a * b, p); }
  double sub(double a, double b) const { return to_bits(a - b, p); }
  double fma(double a, double b, double c) const { return to_bits(a * b + c, p); }
};

struct FloatArithmetic {
  float mul(float a, float b) const { return a * b; }
  float sub(float a, float b) const { return a - b; }
  float fma(float a, float b, float c) const { return std::fma(a, b, c); }
};

struct DoubleArithmetic {
  double mul(double a, double b) const { return a * b; }
  double sub(double a, double b) const { return a - b; }
  double fma(double a, double b, double c) const { return std::fma(a, b, c); }
};

double in_double(FastOperation operation, double a, double b) {
  switch (operation) {
    case FastOperation::kDivide: return a / b;
    case FastOperation::kReciprocal: return 1 / b;
    case FastOperation::kSquareRoot: return std::sqrt(a);
    case FastOperation::kReciprocalRoot: return 1 / std::sqrt(a);
  }
  return 0;
}

// Counts what comes out.
class Tally {
 public:
  Tally(const FastMode& mode, const NumberFormat& format, FastSurvey& out)
      : mode_(mode), format_(format), ulps_in_one_(std::ldexp(1.0, format.precision - 1)), out_(out) {
    out_.by_distance.assign(kDistances, 0);
  }

  // Precision up to 24: FP64 knows the exact result well enough.
  void add(double a, double b, double fast) {
    const int p = format_.precision;
    const double exact = in_double(mode_.operation, a, b);
    double right = to_bits(exact, p);
    if (mode_.operation == FastOperation::kReciprocalRoot && near_tie(exact, p)) {
      right = right_value(mode_, format_, a, b, fast).value;
    }
    const double ulp = std::bit_cast<double>(std::bit_cast<std::uint64_t>(exact) & (std::uint64_t{0x7FF} << 52));
    count(a, b, fast, right, std::abs(fast - exact) / ulp * ulps_in_one_);
  }

  // Any precision.
  void add_exactly(double a, double b, double fast) {
    const RightValue right = right_value(mode_, format_, a, b, fast);
    count(a, b, fast, right.value, right.fast_error_ulps);
  }

 private:
  void count(double a, double b, double fast, double right, double error) {
    ++out_.tried;
    // Patterns of positive numbers are in their order, so the difference counts numbers of the format.
    const auto place = [&](double x) { return std::bit_cast<std::int64_t>(x) >> (53 - format_.precision); };
    const std::int64_t distance = std::abs(place(fast) - place(right));
    ++out_.by_distance[std::min(static_cast<std::size_t>(distance), kDistances - 1)];
    out_.largest_distance = std::max(out_.largest_distance, static_cast<std::uint64_t>(distance));
    if (error > out_.worst_error_ulps) {
      out_.worst_error_ulps = error;
      out_.worst_a = a;
      out_.worst_b = b;
      out_.worst_fast = fast;
      out_.worst_right = right;
    }
  }

  const FastMode& mode_;
  const NumberFormat& format_;
  double ulps_in_one_;
  FastSurvey& out_;
};

// Every divisor, or argument of a root, with the dividends.
template <class V, class Arithmetic>
void try_all(const FastMode& mode, const NumberFormat& format, const Arithmetic& in, double first,
             std::uint64_t dividends, Tally& tally) {
  const int steps = steps_of(mode, format);
  const bool root = is_root(mode.operation);
  const bool table = mode.seed == SeedKind::kTable;
  const std::uint64_t binade = std::uint64_t{1} << (format.precision - 1);
  const double step = std::ldexp(1.0, 1 - format.precision);
  // So many neighbours have one place in the table.
  const std::uint64_t alike = table ? binade >> (root ? mode.seed_bits - 1 : mode.seed_bits) : 1;
  const auto seed = [&](double m) {  // that of fast_seed.h, sooner
    const double exact = root ? 1 / std::sqrt(m) : 1 / m;
    return table || near_tie(exact, mode.seed_bits) ? fast::seed(mode, m) : to_bits(exact, mode.seed_bits);
  };
  for (double base = 1; base <= (root ? 2 : 1); base *= 2) {
    V x{};
    for (std::uint64_t i = 0; i < binade; ++i) {
      const double m = base * (1 + static_cast<double>(i) * step);
      if (i % alike == 0) x = static_cast<V>(seed(m));
      const double b = root ? 1 : m;
      for (std::uint64_t j = 0; j < dividends; ++j) {
        const double a = root ? m : first + static_cast<double>(j) * step;
        tally.add(a, b, fast::finish(in, mode, steps, static_cast<V>(a), static_cast<V>(b), x));
      }
    }
  }
}

double sampled(int p, std::uint64_t index, bool two_binades) {
  const std::uint64_t word = std::uint64_t{random_word(0, 2 * index)} << 32 | random_word(0, 2 * index + 1);
  const double m = 1 + std::ldexp(static_cast<double>(word >> 12 >> (53 - p)), 1 - p);
  return two_binades && (word & 1) != 0 ? 2 * m : m;
}

// The significand of the dividend; 1 where it has none.
double significand_of(const NumberFormat& format, double a) {
  if (!std::isfinite(a) || a == 0) return 1;
  int exponent = 0;
  const double m = 2 * std::frexp(std::abs(a), &exponent);
  return is_in(format, m) ? m : 1;
}

void try_sample(const FastMode& mode, const NumberFormat& format, double a, Tally& tally) {
  const bool root = is_root(mode.operation);
  const bool native = format.precision == 53;
  const std::uint64_t count = native ? kSampleInDouble : kSampleInFormat;
  const int steps = steps_of(mode, format);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double m = sampled(format.precision, i, root);
    const double of = root ? m : a;
    const double by = root ? 1 : m;
    const double fast = native ? fast::finish(DoubleArithmetic{}, mode, steps, of, by, fast::seed(mode, m))
                               : fast_value(mode, format, of, by);
    tally.add_exactly(of, by, fast);
  }
}

}  // namespace

FastSurvey survey(const FastMode& mode, const NumberFormat& format, double a) {
  FastSurvey out;
  FastMode middle = mode;  // of the range: nothing is scaled or flushed there
  middle.scaling = FastScaling::kNone;
  middle.flush = false;
  NumberFormat wide;  // the same significands, and exponents without an end
  wide.precision = format.precision;
  wide.emin = -1000;
  wide.emax = 1000;
  Tally tally(middle, wide, out);
  const int p = format.precision;
  const double first = mode.operation == FastOperation::kReciprocal ? 1 : significand_of(format, a);
  const bool pairs = mode.operation == FastOperation::kDivide && p <= kAllPairsBits;
  out.over = pairs ? FastSurvey::Over::kAllPairs : FastSurvey::Over::kAllDivisors;
  if (pairs) {
    try_all<double>(middle, wide, NarrowArithmetic{p}, 1, std::uint64_t{1} << (p - 1), tally);
  } else if (p <= kExactInDouble) {
    try_all<double>(middle, wide, NarrowArithmetic{p}, first, 1, tally);
  } else if (p == 24) {
    try_all<float>(middle, wide, FloatArithmetic{}, first, 1, tally);
  } else {
    out.over = FastSurvey::Over::kSample;
    try_sample(middle, wide, first, tally);
  }
  return out;
}

}  // namespace assay
