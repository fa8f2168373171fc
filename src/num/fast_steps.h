#pragma once
// The steps of fast division and square root, written once for every arithmetic that they are done in. An arithmetic
// has mul(a, b), sub(a, b) and fma(a, b, c) = a·b + c, each rounded once.

#include <cmath>

#include "num/fast_math.h"

namespace assay::fast {

/// Newton's step for 1/b.
template <class Arithmetic, class V>
V reciprocal_step(const Arithmetic& in, StepForm form, V b, V x) {
  switch (form) {
    case StepForm::kFused: return in.fma(x, in.fma(-b, x, V{1}), x);
    case StepForm::kFusedStep: return in.mul(x, in.fma(-b, x, V{2}));
    case StepForm::kSeparate: break;
  }
  return in.mul(x, in.sub(V{2}, in.mul(b, x)));
}

/// Newton's step for 1/√a. Halves are exact.
template <class Arithmetic, class V>
V root_step(const Arithmetic& in, StepForm form, V a, V y) {
  switch (form) {
    case StepForm::kFused: return in.fma(in.mul(V{0.5}, y), in.fma(-in.mul(a, y), y, V{1}), y);
    case StepForm::kFusedStep: return in.mul(y, in.mul(V{0.5}, in.fma(-in.mul(a, y), y, V{3})));
    case StepForm::kSeparate: break;
  }
  return in.mul(y, in.sub(V{1.5}, in.mul(in.mul(in.mul(V{0.5}, a), y), y)));
}

/// From the seed to the result.
template <class Arithmetic, class V>
V finish(const Arithmetic& in, const FastMode& mode, int steps, V a, V b, V x) {
  const bool root = is_root(mode.operation);
  for (int step = 0; step < steps; ++step) {
    x = root ? root_step(in, mode.form, a, x) : reciprocal_step(in, mode.form, b, x);
  }
  if (mode.operation == FastOperation::kReciprocal || mode.operation == FastOperation::kReciprocalRoot) return x;
  const V q = in.mul(a, x);
  if (!mode.correction) return q;
  if (root) return in.fma(in.fma(-q, q, a), in.mul(V{0.5}, x), q);
  return in.fma(in.fma(-b, q, a), x, q);
}

}  // namespace assay::fast
