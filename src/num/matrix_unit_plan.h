#pragma once
// What the vector kernels of num/matrix_unit.h need to know of a unit.

#include <cstddef>

#include "num/round.h"

namespace assay {

struct FusedPlan {
  Rounding alignment = Rounding::kTowardZero;
  int fraction_bits = 0;
  Rounding late_alignment = Rounding::kDown;  // staged steps only, as the next two
  int late_bits = 0;
  double beyond = 0;             // products of that size are infinite
  double least_input = 0;        // 2^emin of the inputs: smaller ones are aligned as if they had that exponent
  double least_accumulator = 0;  // 2^emin of the accumulator
};

/// sums[r] = c[r] + Σ_k a[k · stride + r] · b[k · stride + r], each addend cut where the plan says; exact otherwise.
/// products: up to kMostProducts.
void fused_sums(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
                const double* b, const double* c, double* sums);

/// Sums of the products alone, aligned among themselves to the power of two that is given beside each.
void staged_products(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
                     const double* b, double* sums, double* powers);
/// Two such sums, cut to their larger power and added, in place of the first.
void staged_sets(const FusedPlan& plan, std::size_t rows, double* sums, double* powers, const double* more_sums,
                 const double* more_powers);
/// The sum meets c. drop_far: a c wholly below its last bit counts as zero.
void staged_results(const FusedPlan& plan, std::size_t rows, const double* sums, const double* powers, const double* c,
                    bool drop_far, double* out);

/// The sum of fused_sums with nothing cut, as doubles add. error[r]: 0 where that was exact.
void plain_sums(std::size_t rows, std::size_t stride, std::size_t products, const double* a, const double* b,
                const double* c, double* sums, double* error);

/// out[i] = a[i] + b[i], rounded to odd: any rounding of it to up to 51 bits is that of the exact sum.
void odd_sums(std::size_t count, const double* a, const double* b, double* out);

}  // namespace assay
