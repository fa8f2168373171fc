#pragma once
// What the vector kernels of num/rounder.h need to know of a format and its rules: constants only, so that one kernel
// serves every format.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "num/round.h"

namespace assay {

template <typename Float>
using BitsOf = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;

/// Patterns of bits are those of Float; arrays of two are indexed by the sign.
template <typename Float>
struct RoundPlan {
  using Bits = BitsOf<Float>;

  bool vectors = false;  // false: the format is not one for the kernels, nothing below is set
  bool plain = true;     // nothing is flushed, and there is -0
  Rounding rounding = Rounding::kNearestEven;

  // Numbers of at least `small`: the lowest `drop` bits of the pattern go.
  int drop = 0;
  Bits dropped = 0;  // a mask of them
  Bits bias = 0;     // added before they go
  Bits parity = 0;   // 1, or 0 where the lowest bit kept is not stored

  // Numbers below `small` (as patterns) become multiples of one quantum.
  Bits small = 0;
  int small_shift = 0;     // the significand is shifted by this less the exponent field
  Bits small_quantum = 0;  // a power of two whose last place is that quantum

  Bits largest = 0;
  Bits overflow[2] = {};  // what becomes of too large numbers, of infinities, of NaN
  Bits infinity[2] = {};
  Bits nan_kept = 0;  // of the input's bits, without the sign
  Bits nan[2] = {};   // these set

  Bits flush_input = 0;  // smaller ones become zero
  Bits flush_output = 0;
  Bits zero_sign[2] = {};

  // kStochastic: the random word's highest bits, and where they go.
  std::uint32_t random_kept = 0;
  int random_shift = 0;
};

/// The kernels. `words`: a random number for each input of a stochastic rounding. `in` may be `out`.
void round_vectors(const RoundPlan<float>& plan, const float* in, float* out, std::size_t count,
                   const std::uint32_t* words);
void round_vectors(const RoundPlan<double>& plan, const double* in, double* out, std::size_t count,
                   const std::uint32_t* words);

/// out[i] = random_word(seed, first + i).
void random_words(std::uint64_t seed, std::uint64_t first, std::uint32_t* out, std::size_t count);

}  // namespace assay
