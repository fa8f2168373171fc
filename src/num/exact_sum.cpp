#include "num/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "num/decimal_text.h"
#include "num/double_bits.h"

namespace assay {

namespace {

constexpr int kLimbBits = 32;
constexpr std::uint32_t kGroup = 1'000'000'000;  // nine digits at a time
constexpr std::size_t kGroupDigits = 9;

std::string nine_digits(std::uint32_t group) {
  std::string out = std::to_string(group);
  return std::string(kGroupDigits - out.size(), '0') + out;
}

// Divides in place, from the highest limb; returns the remainder.
template <std::size_t kSize>
std::uint32_t divide(std::array<std::uint32_t, kSize>& limbs, std::size_t from) {
  std::uint64_t rest = 0;
  for (std::size_t i = kSize; i-- > from;) {
    rest = rest << kLimbBits | limbs[i];
    limbs[i] = static_cast<std::uint32_t>(rest / kGroup);
    rest %= kGroup;
  }
  return static_cast<std::uint32_t>(rest);
}

// Multiplies the limbs below `end` in place; returns what is carried out of them.
template <std::size_t kSize>
std::uint32_t multiply(std::array<std::uint32_t, kSize>& limbs, std::size_t end) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < end; ++i) {
    carry += std::uint64_t{limbs[i]} * kGroup;
    limbs[i] = static_cast<std::uint32_t>(carry);
    carry >>= kLimbBits;
  }
  return static_cast<std::uint32_t>(carry);
}

}  // namespace

void ExactSum::add(double value) {
  const bool held = std::isfinite(value) && value != 0;
  rest_ = sum(rest_, real(held ? 0.0 : value));
  if (!held) return;
  const DoubleParts parts = parts_of(value);
  const int place = kLimbBits * static_cast<int>(kFractionLimbs) + parts.exponent;
  UInt128 left = UInt128{parts.whole} << (place % kLimbBits);
  std::int64_t carry = 0;
  for (auto i = static_cast<std::size_t>(place / kLimbBits); i < kLimbs && (left != 0 || carry != 0); ++i) {
    const auto part = static_cast<std::int64_t>(static_cast<std::uint32_t>(left));
    const std::int64_t total = std::int64_t{limbs_[i]} + carry + (parts.negative ? -part : part);
    limbs_[i] = static_cast<std::uint32_t>(total);
    carry = total >> kLimbBits;
    left >>= kLimbBits;
  }
}

ExactSum::Limbs ExactSum::magnitude() const {
  Limbs out = limbs_;
  if (!negative()) return out;
  std::uint64_t carry = 1;
  for (std::uint32_t& limb : out) {
    carry += static_cast<std::uint32_t>(~limb);
    limb = static_cast<std::uint32_t>(carry);
    carry >>= kLimbBits;
  }
  return out;
}

Real ExactSum::value() const {
  const Limbs limbs = magnitude();
  std::size_t top = kLimbs;
  while (top > 0 && limbs[top - 1] == 0) --top;
  if (!finite() || top == 0) return rest_;
  // 128 bits are in the first five limbs wherever the first of them begins; what is below makes the mark.
  Real out;
  out.kind = Real::Kind::kFinite;
  out.negative = negative();
  const int zeros = std::countl_zero(limbs[top - 1]);
  const auto limb = [&](std::size_t below) { return below < top ? UInt128{limbs[top - 1 - below]} : UInt128{0}; };
  out.significand = limb(0) << 96 | limb(1) << 64 | limb(2) << 32 | limb(3);
  out.significand <<= zeros;
  const UInt128 next = limb(4) << zeros;
  out.significand |= next >> kLimbBits;
  bool more = static_cast<std::uint32_t>(next) != 0;
  for (std::size_t below = 5; below < top; ++below) more = more || limb(below) != 0;
  if (more) out.significand |= 1;
  out.exact = !more;
  out.exponent = kLimbBits * (static_cast<int>(top) - static_cast<int>(kFractionLimbs)) - 128 - zeros;
  return out;
}

ExactSum::Decimal ExactSum::decimal() const {
  Limbs limbs = magnitude();
  const auto some = [&](std::size_t from, std::size_t end) {
    return std::any_of(limbs.begin() + static_cast<std::ptrdiff_t>(from),
                       limbs.begin() + static_cast<std::ptrdiff_t>(end), [](std::uint32_t limb) { return limb != 0; });
  };
  std::string whole;
  while (some(kFractionLimbs, kLimbs)) whole.insert(0, nine_digits(divide(limbs, kFractionLimbs)));
  Decimal out;
  out.digits = whole;
  while (some(0, kFractionLimbs)) out.digits += nine_digits(multiply(limbs, kFractionLimbs));
  const std::size_t first = out.digits.find_first_not_of('0');
  out.power = static_cast<int>(whole.size()) - 1 - static_cast<int>(first);
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  out.digits.erase(0, first);
  return out;
}

std::string ExactSum::text(std::size_t most) const {
  Decimal number = decimal();
  return decimal_text(negative(), std::move(number.digits), number.power, most);
}

}  // namespace assay
