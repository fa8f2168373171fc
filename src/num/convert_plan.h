#pragma once
// What the vector kernels of num/convert.h need to know of a format: constants only, so that one kernel serves all.

#include <cstddef>
#include <cstdint>

namespace assay {

/// Patterns are those of floats, codes those of the format; arrays of two are indexed by the sign.
struct CodePlan {
  bool vectors = false;             // false: the format is not one for the kernels, nothing below is set
  bool minus_zero = true;           // there is a -0
  int drop = 0;                     // the float's pattern is shifted by this
  int sign_shift = 0;               // and the sign by this
  std::uint32_t sign = 0;           // code
  std::uint32_t largest = 0;        // code
  std::uint32_t small = 0;          // floats below this pattern are multiples of one quantum; 0: as the others
  std::uint32_t small_quantum = 0;  // a power of two whose last place is that quantum

  // Of encoding.
  std::uint32_t bias = 0;          // added before the shift: half of what goes, less `parity`, less `rebias`
  std::uint32_t parity = 0;        // 1, or 0 where the last bit of normal numbers is not stored
  std::uint32_t overflow[2] = {};  // codes: of too large numbers, of infinities, of NaN
  std::uint32_t infinity[2] = {};
  std::uint32_t nan[2] = {};
  std::uint32_t nan_kept = 0;  // of the shifted pattern

  // Of decoding.
  std::uint32_t rebias = 0;            // added after the shift: the difference of the exponents' biases
  std::uint32_t first_normal = 0;      // code
  std::uint32_t infinite_code = ~0U;   // without sign; none: no code
  std::uint32_t only_nan = ~0U;        // of "fnuz" formats: the sign at the place of a float's, and the rest
  std::uint32_t nan_pattern[2] = {};   // set in NaN
  std::uint32_t nan_pattern_kept = 0;  // of the shifted code
};

/// The kernels. Code is std::uint8_t or std::uint16_t.
template <typename Code>
void encode_vectors(const CodePlan& plan, const float* in, Code* out, std::size_t count);
template <typename Code>
void decode_vectors(const CodePlan& plan, const Code* in, float* out, std::size_t count);

}  // namespace assay
