#pragma once
// What the vector kernels of num/matrix_unit.h need to know of a unit.

#include <cstddef>

#include "num/round.h"

namespace assay {

struct FusedPlan {
  Rounding alignment = Rounding::kTowardZero;
  int fraction_bits = 0;
  double least_input = 0;        // 2^emin of the inputs: smaller ones are aligned as if they had that exponent
  double least_accumulator = 0;  // 2^emin of the accumulator
};

/// sums[r] = c[r] + Σ_k a[k · stride + r] · b[k · stride + r], each addend cut where the plan says; exact otherwise.
/// rows: up to kFusedRows; products: up to kMostProducts.
void fused_sums(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
                const double* b, const double* c, double* sums);

/// The same sum with nothing cut, as doubles add. exact[r]: 0 where that was exact.
void plain_sums(std::size_t rows, std::size_t stride, std::size_t products, const double* a, const double* b,
                const double* c, double* sums, double* error);

/// out[i] = a[i] + b[i], rounded to odd: any rounding of it to up to 51 bits is that of the exact sum.
void odd_sums(std::size_t count, const double* a, const double* b, double* out);

}  // namespace assay
