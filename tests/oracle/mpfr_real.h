#pragma once
// Numbers of MPFR beside ours.

#include <mpfr.h>

#include <cstdint>
#include <string>

#include "num/real.h"

namespace assay::oracle {

/// An mpfr_t that cleans up after itself. Exponents are as wide as MPFR has them unless a scope narrows them.
class Mp {
 public:
  explicit Mp(int precision) { mpfr_init2(value_, precision); }
  Mp(int precision, double value) : Mp(precision) { mpfr_set_d(value_, value, MPFR_RNDN); }
  ~Mp() { mpfr_clear(value_); }
  Mp(const Mp&) = delete;
  Mp& operator=(const Mp&) = delete;
  // NOLINTBEGIN(google-explicit-constructor): to be passed to MPFR's functions
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }
  // NOLINTEND(google-explicit-constructor)

 private:
  mpfr_t value_;
};

/// The numbers of a format with subnormals and unlimited magnitude, while it lives.
class ExponentRange {
 public:
  ExponentRange(int smallest_exponent, int emax) : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    mpfr_set_emin(smallest_exponent + 1);  // MPFR's significands lie in [1/2, 1)
    mpfr_set_emax(emax + 1);
  }
  ~ExponentRange() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t emin_, emax_;
};

/// Exactly the same number; needs 128 bits.
inline void set_real(Mp& out, const Real& value) {
  mpfr_set_ui(out, static_cast<unsigned long>(value.significand >> 64), MPFR_RNDN);
  mpfr_mul_2ui(out, out, 64, MPFR_RNDN);
  mpfr_add_ui(out, out, static_cast<unsigned long>(value.significand), MPFR_RNDN);
  mpfr_mul_2si(out, out, value.exponent, MPFR_RNDN);
  if (value.negative) mpfr_neg(out, out, MPFR_RNDN);
}

/// What a Real must be, given MPFR's result to `bits` bits toward zero and its ternary value: the same bits, the lowest
/// of 128 set where something was cut off. Empty where it is so. Not `strict`: a mark is let pass in a number that is
/// exact and odd, where it changes nothing.
inline std::string differs(const Real& got, mpfr_srcptr truncated, int ternary, bool strict = true) {
  if (mpfr_nan_p(truncated)) return got.kind == Real::Kind::kNan ? "" : "not NaN";
  if (got.kind == Real::Kind::kNan) return "NaN";
  if (got.negative != (mpfr_signbit(truncated) != 0)) return "the sign";
  if (mpfr_inf_p(truncated)) return got.kind == Real::Kind::kInfinite ? "" : "not infinite";
  if (mpfr_zero_p(truncated)) return got.kind == Real::Kind::kZero ? "" : "not zero";
  if (got.kind != Real::Kind::kFinite) return "not finite";
  if (got.significand >> 127 != 1) return "not normalised";
  Mp rest(128);
  set_real(rest, got);
  const bool odd = (got.significand & 1) != 0;
  if (ternary == 0) {
    if (mpfr_cmp(rest, truncated) != 0) return "exact, but another number";
    return got.exact || (odd && !strict) ? "" : "marked, though exact";
  }
  if (got.exact) return "not marked";
  if (!odd) return "marked without the lowest bit";
  Real unmarked = got;
  unmarked.significand &= ~UInt128{1};
  set_real(rest, unmarked);
  Mp cut(127);
  mpfr_set(cut, truncated, MPFR_RNDZ);
  return mpfr_cmp(rest, cut) == 0 ? "" : "another number";
}

}  // namespace assay::oracle
