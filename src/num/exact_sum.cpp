// Kulisch's long accumulator: a whole number of 2^-1074, wide enough for every double (Kulisch, Miranker: "The
// arithmetic of the digital computer: a new approach", SIAM Review 28, 1986). A double is 53 bits at a place that its
// exponent names, so it meets at most three words. Carries are passed on only when the sum is read.

#include "num/exact_sum.h"

#include <bit>
#include <cmath>

namespace assay {

namespace {

constexpr std::int64_t kWord = std::int64_t{1} << 32;

}  // namespace

void ExactSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto field = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t whole = field == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const int place = field == 0 ? 0 : field - 1;  // of its lowest bit
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  UInt128 shifted = UInt128{whole} << (place % 32);
  for (auto at = static_cast<std::size_t>(place / 32); shifted != 0; ++at, shifted >>= 32) {
    words_[at] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted));
  }
}

Real ExactSum::value() const {
  auto words = words_;
  const auto pass_on = [&words] {
    std::int64_t carry = 0;
    for (std::int64_t& word : words) {
      word += carry;
      carry = word >> 32;  // rounds down, so that what stays is not negative
      word -= carry * kWord;
    }
    return carry;  // -1 where the sum is negative
  };
  const bool negative = pass_on() < 0;
  if (negative) {
    for (std::int64_t& word : words) word = -word;
    pass_on();
  }
  Real out;
  out.negative = negative;
  int bit = static_cast<int>(words.size()) * 32 - 1;
  const auto is_set = [&words](int at) { return (words[static_cast<std::size_t>(at / 32)] >> (at % 32) & 1) != 0; };
  while (bit >= 0 && !is_set(bit)) --bit;
  if (bit < 0) return out;
  out.kind = Real::Kind::kFinite;
  out.exponent = bit - 127 - 1074;
  for (int i = 0; i < 128; ++i) out.significand = out.significand << 1 | (bit - i >= 0 && is_set(bit - i) ? 1 : 0);
  for (int rest = bit - 128; rest >= 0 && out.exact; --rest) out.exact = !is_set(rest);
  if (!out.exact) out.significand |= 1;
  return out;
}

}  // namespace assay
