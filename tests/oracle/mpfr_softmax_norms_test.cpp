// Exact results of softmax, log-sum-exp, cross-entropy, layer norm and RMS norm, against MPFR at 400 bits.

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "oracle/mpfr_real.h"
#include "study/operators/operators.h"

namespace assay {
namespace {

using oracle::Mp;

constexpr int kBits = 400;
constexpr double kEps = 1e-5;

using Row = std::vector<double>;
using Numbers = std::vector<std::unique_ptr<Mp>>;

Numbers zeros(std::size_t count) {
  Numbers out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(std::make_unique<Mp>(kBits, 0.0));
  return out;
}

Numbers softmax(const Row& x) {
  Numbers out = zeros(x.size());
  Mp sum(kBits, 0.0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    mpfr_set_d(*out[k], x[k], MPFR_RNDN);
    mpfr_exp(*out[k], *out[k], MPFR_RNDN);
    mpfr_add(sum, sum, *out[k], MPFR_RNDN);
  }
  for (auto& one : out) mpfr_div(*one, *one, sum, MPFR_RNDN);
  return out;
}

Numbers logsumexp(const Row& x) {
  Numbers out = zeros(1);
  Mp term(kBits);
  for (const double one : x) {
    mpfr_set_d(term, one, MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_add(*out[0], *out[0], term, MPFR_RNDN);
  }
  mpfr_log(*out[0], *out[0], MPFR_RNDN);
  return out;
}

Numbers cross_entropy(const Row& x) {
  Numbers out = logsumexp(x);
  mpfr_sub_d(*out[0], *out[0], x[0], MPFR_RNDN);
  return out;
}

Numbers normed(const Row& x, bool centres) {
  Numbers out = zeros(x.size());
  Mp mean(kBits, 0.0), square(kBits, 0.0), term(kBits);
  for (const double one : x) mpfr_add_d(mean, mean, one, MPFR_RNDN);
  mpfr_div_d(mean, mean, static_cast<double>(x.size()), MPFR_RNDN);
  if (!centres) mpfr_set_zero(mean, 1);
  for (std::size_t k = 0; k < x.size(); ++k) {
    mpfr_d_sub(*out[k], x[k], mean, MPFR_RNDN);
    mpfr_sqr(term, *out[k], MPFR_RNDN);
    mpfr_add(square, square, term, MPFR_RNDN);
  }
  mpfr_div_d(square, square, static_cast<double>(x.size()), MPFR_RNDN);
  mpfr_add_d(square, square, kEps, MPFR_RNDN);
  mpfr_sqrt(square, square, MPFR_RNDN);
  for (auto& one : out) mpfr_div(*one, *one, square, MPFR_RNDN);
  return out;
}

Numbers layer_norm(const Row& x) { return normed(x, true); }
Numbers rms_norm(const Row& x) { return normed(x, false); }

// Worst error of the row's results, over the largest of them.
double worst(const std::string& name, const Row& x, const Numbers& expected) {
  const Operator& op = **operator_named(name);
  const NumberFormat fp32 = *number_format("fp32");
  const OperatorModel model{.input = fp32,
                            .compute = fp32,
                            .accumulator = fp32,
                            .partials = {},
                            .output = fp32,
                            .order = {},
                            .rounds_products = false,
                            .unit = {},
                            .rules = {}};
  std::vector<Lanes> inputs(1, Lanes(1, x.size()));
  inputs[0].values = x;
  std::vector<double> parameters;
  for (const OperatorParameter& one : op.parameters) parameters.push_back(one.value);
  ExactLanes got(1, expected.size());
  op.exact({model, op.variants.empty() ? "" : op.variants.front(), parameters, inputs}, got);
  double largest = 0, error = 0;
  Mp difference(kBits);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    largest = std::max(largest, std::abs(mpfr_get_d(*expected[k], MPFR_RNDN)));
    mpfr_sub_d(difference, *expected[k], got.hi.values[k], MPFR_RNDN);
    mpfr_sub_d(difference, difference, got.lo.values[k], MPFR_RNDN);
    error = std::max(error, std::abs(mpfr_get_d(difference, MPFR_RNDN)));
  }
  return error / largest;
}

TEST(MpfrSoftmaxNorms, ExactResults) {
  struct Named {
    const char* op;
    Numbers (*oracle)(const Row&);
  };
  constexpr Named kAll[] = {{"softmax", softmax},
                            {"logsumexp", logsumexp},
                            {"cross-entropy", cross_entropy},
                            {"layer-norm", layer_norm},
                            {"rms-norm", rms_norm}};
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const Named& one : kAll) {
    for (const double deviation : {1e-3, 1.0, 30.0}) {
      for (const double mean : {0.0, 100.0}) {
        for (int repeat = 0; repeat < 5; ++repeat) {
          Row x(100);
          for (double& number : x) number = static_cast<double>(static_cast<float>(mean + deviation * normal(random)));
          // A mean of 100 deviations and more costs the differences from it seven digits, of about thirty.
          EXPECT_LT(worst(one.op, x, one.oracle(x)), 0x1p-84) << one.op << " " << mean << " " << deviation;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
