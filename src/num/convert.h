#pragma once
// Arrays of floats into codes of up to 16 bits, and back, with vectors. The same bits as encode(round_to(…)) and
// decode, on every processor.

#include <cstdint>
#include <span>
#include <vector>

#include "assay/number_format.h"
#include "num/convert_plan.h"
#include "num/rounder.h"

namespace assay {

/// Floats into codes of one format. Const calls may run at once.
class Encoder {
 public:
  /// `from`: as of Rounder. Precondition: the format has codes, of at most 16 bits.
  explicit Encoder(const NumberFormat& to, const RoundingRules& rules = {}, const NumberFormat* from = nullptr);

  /// out[i] = encode(to, round_to(to, in[i], rules, first + i).value), one code in each, in its lowest bits. The spans
  /// have one size. Precondition of the first form: a code has at most 8 bits.
  void operator()(std::span<const float> in, std::span<std::uint8_t> out, std::uint64_t first = 0) const;
  void operator()(std::span<const float> in, std::span<std::uint16_t> out, std::uint64_t first = 0) const;

 private:
  template <typename Code>
  void run(std::span<const float> in, std::span<Code> out, std::uint64_t first) const;

  Rounder rounder_;
  NumberFormat from_;
  bool fits_float_;
  bool one_pass_;  // the kernel of codes rounds, too: it knows nearest-even without flushing
  CodePlan plan_;
};

/// Codes of one format into floats. Const calls may run at once.
class Decoder {
 public:
  /// Precondition: the format has codes, of at most 16 bits, and all its numbers are floats (fits_float).
  explicit Decoder(const NumberFormat& from);

  /// out[i] = decode(from, in[i]); higher bits are ignored. The spans have one size.
  void operator()(std::span<const std::uint8_t> in, std::span<float> out) const;
  void operator()(std::span<const std::uint16_t> in, std::span<float> out) const;

 private:
  template <typename Code>
  void run(std::span<const Code> in, std::span<float> out) const;

  CodePlan plan_;
  std::vector<float> table_;  // by code, where there is no plan
};

}  // namespace assay
