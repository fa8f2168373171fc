// Softmax, log-sum-exp, cross-entropy and the norms in a format, against plain steps on one number at a time; and what
// infinities, NaN and rows of equal numbers give.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "operator_trial.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Row = std::vector<double>;

// One number at a time.
struct Plain {
  NumberFormat compute, sums;
  bool pairwise = false;
  bool rounds_products = false;

  static double in(const NumberFormat& format, const Real& value) { return round_to(format, value).value; }
  double c(double value) const { return in(compute, real(value)); }
  double s(double value) const { return in(sums, real(value)); }
  double add_in(const NumberFormat& f, double a, double b) const { return in(f, assay::sum(real(a), real(b))); }
  double sub_in(const NumberFormat& f, double a, double b) const { return add_in(f, a, -b); }
  double mul_in(const NumberFormat& f, double a, double b) const { return in(f, product(real(a), real(b))); }
  double div_in(const NumberFormat& f, double a, double b) const { return in(f, quotient(real(a), real(b))); }

  // Of terms that may be exact products.
  double sum(const Row& terms, std::size_t first, std::size_t last) const {
    if (pairwise && last - first > 2) {
      const std::size_t middle = first + (last - first) / 2;
      return add_in(sums, sum(terms, first, middle), sum(terms, middle, last));
    }
    double out = s(terms[first]);
    for (std::size_t k = first + 1; k < last; ++k) out = add_in(sums, out, terms[k]);
    return out;
  }
  double sum(const Row& terms) const { return sum(terms, 0, terms.size()); }
  double squares(const Row& x) const {
    Row terms;
    for (const double one : x) terms.push_back(rounds_products ? mul_in(sums, one, one) : one * one);
    return sum(terms);
  }
};

Row softmax_row(const Plain& p, const Row& x, const std::string& variant) {
  double most = -kInfinity;
  for (const double one : x) most = std::max(most, p.c(one));
  Row e;
  for (const double one : x)
    e.push_back(p.c(std::exp(variant == "unshifted" ? p.c(one) : p.sub_in(p.compute, p.c(one), most))));
  const double sum = p.c(p.sum(e));
  const double inverse = p.div_in(p.compute, 1, sum);
  Row out;
  for (const double one : e) {
    out.push_back(variant == "reciprocal" ? p.mul_in(p.compute, one, inverse) : p.div_in(p.compute, one, sum));
  }
  return out;
}

Row logsumexp_row(const Plain& p, const Row& x, const std::string& variant) {
  double most = -kInfinity;
  for (const double one : x) most = std::max(most, p.c(one));
  if (variant == "unshifted") most = 0;
  Row e;
  for (const double one : x) e.push_back(p.c(std::exp(p.sub_in(p.compute, p.c(one), most))));
  return {p.add_in(p.compute, most, p.c(std::log(p.c(p.sum(e)))))};
}

Row cross_entropy_row(const Plain& p, const Row& x, const std::string& variant) {
  if (variant != "shifted") return {p.sub_in(p.compute, logsumexp_row(p, x, variant)[0], p.c(x[0]))};
  double most = -kInfinity;
  for (const double one : x) most = std::max(most, p.c(one));
  Row e;
  for (const double one : x) e.push_back(p.c(std::exp(p.sub_in(p.compute, p.c(one), most))));
  return {p.sub_in(p.compute, p.c(std::log(p.c(p.sum(e)))), p.sub_in(p.compute, p.c(x[0]), most))};
}

double inverse_root(const Plain& p, double variance) {
  const double radicand = p.add_in(p.compute, p.c(variance), p.c(1e-5));
  return p.c(1 / std::sqrt(radicand));
}

Row layer_norm_row(const Plain& p, const Row& x, const std::string& variant) {
  const double n = p.s(static_cast<double>(x.size()));
  double mean = p.div_in(p.sums, p.sum(x), n);
  double variance = 0;
  if (variant == "one-pass") {
    const double square = p.div_in(p.sums, p.squares(x), n);
    variance = p.sub_in(p.sums, square, p.mul_in(p.sums, mean, mean));
  } else if (variant == "two-pass") {
    Row differences;
    for (const double one : x) differences.push_back(p.sub_in(p.sums, one, mean));
    variance = p.div_in(p.sums, p.squares(differences), n);
  } else {
    mean = p.s(x[0]);
    double sum = 0;
    for (std::size_t k = 1; k < x.size(); ++k) {
      const double before = p.sub_in(p.sums, x[k], mean);
      mean = p.add_in(p.sums, mean, p.div_in(p.sums, before, p.s(static_cast<double>(k + 1))));
      const double after = p.sub_in(p.sums, x[k], mean);
      sum = p.add_in(p.sums, sum, p.rounds_products ? p.mul_in(p.sums, before, after) : before * after);
    }
    variance = p.div_in(p.sums, sum, n);
  }
  const double factor = inverse_root(p, variance);
  Row out;
  for (const double one : x) {
    out.push_back(p.mul_in(p.compute, p.sub_in(p.compute, p.c(one), p.c(mean)), factor));
  }
  return out;
}

Row rms_norm_row(const Plain& p, const Row& x, const std::string& /*variant*/) {
  const double factor = inverse_root(p, p.div_in(p.sums, p.squares(x), p.s(static_cast<double>(x.size()))));
  Row out;
  for (const double one : x) out.push_back(p.mul_in(p.compute, p.c(one), factor));
  return out;
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

using Twin = std::function<Row(const Plain&, const Row&, const std::string&)>;

void expect_same(Trial trial, const Twin& twin) {
  Lanes x = data_of(trial)[0];
  Arithmetic(*number_format(trial.input)).round(x.values, x.values);
  const Lanes got = emulated(trial, x);
  const Plain plain{*number_format(trial.inside), *number_format(trial.sums), trial.order == "pairwise",
                    trial.rounds_products};
  int wrong = 0;
  for (std::size_t row = 0; row < x.rows && wrong < 5; ++row) {
    Row numbers(x.length);
    for (std::size_t k = 0; k < x.length; ++k) numbers[k] = x.values[k * x.rows + row];
    const Row expected = twin(plain, numbers, trial.variant);
    for (std::size_t k = 0; k < expected.size() && wrong < 5; ++k) {
      if (same(got.values[k * x.rows + row], expected[k])) continue;
      ADD_FAILURE() << testing::PrintToString(trial) << ": " << got.values[k * x.rows + row] << ", not " << expected[k];
      ++wrong;
    }
  }
}

struct Named {
  const char* op;
  std::vector<std::string> variants;
  Twin twin;
};

const std::vector<Named>& twins() {
  static const std::vector<Named> all = {{"softmax", {"shifted", "reciprocal", "unshifted"}, softmax_row},
                                         {"logsumexp", {"shifted", "unshifted"}, logsumexp_row},
                                         {"cross-entropy", {"shifted", "logsumexp", "unshifted"}, cross_entropy_row},
                                         {"layer-norm", {"one-pass", "two-pass", "welford"}, layer_norm_row},
                                         {"rms-norm", {""}, rms_norm_row}};
  return all;
}

TEST(SoftmaxNorms, AreWhatPlainStepsGive) {
  struct Formats {
    const char *dtype, *inside, *sums;
  };
  for (const Formats& f :
       {Formats{"fp16", "fp32", "fp32"}, Formats{"bf16", "bf16", "bf16"}, Formats{"fp16", "fp16", "fp16"},
        Formats{"bf16", "bf16", "fp32"}, Formats{"e5m2", "e5m2", "fp16"}, Formats{"fp32", "fp32", "fp32"}}) {
    for (const Named& one : twins()) {
      for (const std::string& variant : one.variants) {
        Trial trial =
            in({.op = one.op, .variant = variant, .length = 37, .rows = 9, .deviation = 3}, f.dtype, f.inside, f.sums);
        expect_same(trial, one.twin);
        trial.rounds_products = true;
        trial.mean = 2;
        if (variant != "welford") trial.order = "pairwise";
        expect_same(trial, one.twin);
      }
    }
  }
}

// Welford's in any order of a sum: the mean and the variance that two passes give, but for FP32's errors.
TEST(SoftmaxNorms, WelfordMergesItsParts) {
  for (const char* order : {"pairwise", "cascade", "lanes:7", "blocks:10", "split:3"}) {
    Trial trial = in({.op = "layer-norm", .variant = "welford", .order = order, .length = 101, .rows = 5, .mean = 1},
                     "fp32", "fp32", "fp32");
    const Lanes x = data_of(trial)[0];
    const Lanes got = emulated(trial, x);
    const ExactLanes y = exact(trial, x);
    for (std::size_t i = 0; i < got.values.size(); ++i) EXPECT_NEAR(got.values[i], y.hi.values[i], 2e-6) << order;
  }
}

double only(const Trial& trial, const Row& x) { return emulated(trial, lanes_of({x})).values[0]; }

TEST(SoftmaxNorms, InfinitiesAndNan) {
  Trial trial = in({.op = "softmax"}, "bf16", "fp32", "fp32");
  const auto softmax = [&](const Row& x, std::size_t k) {
    const double emulated_value = emulated(trial, lanes_of({x})).values[k];
    const double exact_value = exact(trial, lanes_of({x})).hi.values[k];
    EXPECT_TRUE(std::isnan(emulated_value) == std::isnan(exact_value)) << emulated_value << " " << exact_value;
    return emulated_value;
  };
  EXPECT_EQ(softmax({0, -kInfinity, 0}, 1), 0);  // a masked logit
  EXPECT_EQ(softmax({0, -kInfinity, 0}, 0), 0.5);
  EXPECT_TRUE(std::isnan(softmax({-kInfinity, -kInfinity}, 0)));  // all masked
  EXPECT_TRUE(std::isnan(softmax({kInfinity, 0}, 1)));
  EXPECT_TRUE(std::isnan(softmax({kNan, 0, 1}, 1)));
  trial.op = "logsumexp";
  for (const Row& x : {Row{0, kInfinity}, Row{-kInfinity, -kInfinity}}) {
    EXPECT_EQ(only(trial, x), x[1]);  // as torch.logsumexp
    EXPECT_EQ(exact(trial, lanes_of({x})).hi.values[0], x[1]);
  }
  EXPECT_TRUE(std::isnan(only(trial, {kNan, 0})));
  trial.op = "cross-entropy";
  EXPECT_EQ(only(trial, {-kInfinity, 0}), kInfinity);
  EXPECT_EQ(exact(trial, lanes_of({{-kInfinity, 0}})).hi.values[0], kInfinity);
  EXPECT_TRUE(std::isnan(only(trial, {kInfinity, 0})));
  for (const char* op : {"layer-norm", "rms-norm"}) {
    trial.op = op;
    EXPECT_TRUE(std::isnan(only(trial, {kNan, 0}))) << op;
    EXPECT_TRUE(std::isnan(only(trial, {kInfinity, 0}))) << op;
  }
}

TEST(SoftmaxNorms, RowsOfEqualNumbers) {
  for (const double number : {0.1, 3.7, -1e5}) {
    for (const char* variant : {"one-pass", "two-pass", "welford"}) {
      const Trial trial = in({.op = "layer-norm", .variant = variant}, "fp32", "fp64", "fp64");
      const Lanes x = lanes_of({Row(100, number)});
      for (const double one : exact(trial, x).hi.values) EXPECT_EQ(one, 0);
    }
  }
  const Trial trial = in({.op = "layer-norm", .variant = "two-pass"}, "fp16", "fp32", "fp32");
  const ErrorQuestion question = question_of(trial);
  const std::vector<Lanes> x = {lanes_of({Row(64, 0.5)})};
  const OperatorCall call{question.model, question.variant, question.parameters, x};
  ExactLanes y(1, 64);
  Lanes magnitude(1, 64);
  question.op->exact(call, y);
  question.op->magnitude(call, y, magnitude);
  for (const double one : magnitude.values) EXPECT_EQ(one, 1);
}

TEST(SoftmaxNorms, RowsOfOneNumber) {
  const auto one_number = [](const char* op, double x) { return only(in({.op = op}, "fp16", "fp32", "fp32"), {x}); };
  EXPECT_EQ(one_number("softmax", 3), 1);
  EXPECT_EQ(one_number("logsumexp", 3), 3);
  EXPECT_EQ(one_number("cross-entropy", 3), 0);
  EXPECT_EQ(one_number("layer-norm", 3), 0);
  EXPECT_NEAR(one_number("rms-norm", 3), 1, 1e-6);
}

// A target that is nearly certain: the loss is the sum of the others, to the last digit.
TEST(SoftmaxNorms, TinyLossesHaveAllTheirDigits) {
  const Trial trial = in({.op = "cross-entropy"}, "fp32", "fp32", "fp32");
  const double loss = exact(trial, lanes_of({{0, -100}})).hi.values[0];
  EXPECT_NEAR(loss / std::exp(-100.0), 1, 1e-14);
}

}  // namespace
}  // namespace assay
