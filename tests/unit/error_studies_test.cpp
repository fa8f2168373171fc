// The studies of `assay error`: three parts of an error, theory beside them, what is said of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "assay/check.h"
#include "format/tensors/npy.h"
#include "num/exact_sum.h"
#include "num/format.h"
#include "report/render.h"
#include "study/error_explain.h"
#include "study/error_orders.h"
#include "study/error_report.h"
#include "study/operators/operators.h"

namespace assay {
namespace {

using testing::HasSubstr;

struct Asked {
  const char* op = "sum";
  const char* dtype = "fp16";
  const char* inside = "fp32";
  const char* order = "sequential";
  std::size_t rows = 200;
  std::size_t length = 1000;
  const char* unit = "";
  const char* variant = "";
  Distribution data = Distribution::kNormal;
  double deviation = 1;
};

ErrorQuestion question_of(const Asked& asked) {
  ErrorQuestion question;
  question.op = *operator_named(asked.op);
  question.model.input = question.model.output = *number_format(asked.dtype);
  question.model.compute = question.model.accumulator = *number_format(asked.inside);
  question.model.order = *sum_order(asked.order);
  if (*asked.unit != 0) {
    question.model.unit = *matrix_unit(asked.unit);
    if (question.model.output.bits == 8) question.model.output = *number_format("fp32");
  }
  if (!question.op->variants.empty()) {
    question.variant = *asked.variant != 0 ? asked.variant : std::string(question.op->variants.front());
  }
  for (const OperatorParameter& one : question.op->parameters) question.parameters.push_back(one.value);
  for (std::size_t i = 0; i < question.op->inputs.size(); ++i)
    question.data.push_back({{}, asked.data, 0, asked.deviation});
  question.rows = asked.rows;
  question.length = asked.length;
  question.length_given = true;
  question.jobs = 1;
  return question;
}

Experiment run(const Asked& asked) {
  ErrorQuestion question = question_of(asked);
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  return run_experiment(question, data, 1, true).value();
}

TEST(ErrorMeasure, TheErrorIsThatOfEveryRow) {
  // Row by row, with sums of all bits and numbers one at a time.
  const Asked asked{.order = "lanes:4", .rows = 3, .length = 50};
  ErrorQuestion question = question_of(asked);
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  const Experiment experiment = run_experiment(question, data, 1, false).value();
  const std::vector<Lanes> inputs = data.rows(question, 1, 0, 3).value();
  double squares = 0;
  for (std::size_t row = 0; row < 3; ++row) {
    ExactSum exact;
    double magnitude = 0;
    float lanes[4] = {};
    for (std::size_t k = 0; k < 50; ++k) {
      const double x = inputs[0].at(k)[row];
      exact.add(x);
      magnitude += std::abs(x);
      const auto stored = static_cast<float>(round_to(question.model.input, real(x)).value);
      lanes[k % 4] = k < 4 ? stored : lanes[k % 4] + stored;
    }
    const float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    const double stored = round_to(question.model.output, real(sum)).value;
    exact.add(-stored);
    const double error = to_double(exact.value()) / magnitude;
    squares += error * error;
  }
  EXPECT_NEAR(experiment.measured.rms(), std::sqrt(squares / 3), 1e-15);
}

TEST(ErrorMeasure, ThreePartsAddUpToTheWhole) {
  for (const char* op : {"sum", "mean", "dot", "norm", "softmax", "layer-norm"}) {
    const Experiment one = run({.op = op, .dtype = "bf16", .inside = "bf16", .rows = 20, .length = 100});
    double parts = 0;
    for (const double part : one.measured.part_sums) parts += part;
    EXPECT_NEAR(parts, one.measured.sum, 1e-12 * std::max(1.0, std::abs(parts))) << op;
    EXPECT_GT(one.measured.rms(), 0) << op;
  }
}

// The settings of the bench, smaller: theory within a fifth of the measurement.
TEST(ErrorTheory, IsWithinTwentyPercentOfTheMeasurement) {
  const Asked all[] = {
      {.op = "mean", .length = 2000},
      {.op = "mean", .dtype = "bf16", .length = 2000},
      {.op = "mean", .dtype = "bf16", .order = "lanes:16", .variant = "reciprocal"},
      {.op = "mean", .dtype = "fp16", .inside = "fp16", .order = "pairwise", .variant = "scale-first"},
      {.op = "dot", .order = "lanes:8"},
      {.op = "dot", .dtype = "bf16", .inside = "bf16", .order = "pairwise"},
      {.op = "sum", .inside = "fp16", .order = "pairwise"},
      {.op = "sum", .inside = "fp16"},
      {.op = "sum", .dtype = "bf16", .inside = "bf16", .data = Distribution::kUniform},
      {.op = "sum", .dtype = "bf16", .inside = "bf16", .data = Distribution::kHeavyTailed},
      {.op = "norm", .dtype = "bf16", .inside = "bf16"},
      {.op = "norm", .dtype = "bf16", .inside = "bf16", .order = "pairwise"},
      {.op = "accumulate", .dtype = "bf16", .inside = "bf16", .rows = 2000, .length = 64},
      {.op = "matmul", .dtype = "bf16", .unit = "h100/bf16"},
      {.op = "matmul", .dtype = "e4m3", .inside = "fp32", .unit = "h100/e4m3", .data = Distribution::kUniform},
      {.op = "matmul", .dtype = "fp16", .unit = "v100/fp16", .data = Distribution::kUniform},
  };
  for (const Asked& asked : all) {
    const Experiment one = run(asked);
    ASSERT_TRUE(one.predicted.known) << asked.op;
    EXPECT_NEAR(std::sqrt(one.predicted.squares) / one.measured.rms(), 1, 0.2)
        << asked.op << ' ' << asked.dtype << ' ' << asked.inside << ' ' << asked.order << ' ' << asked.unit;
  }
}

TEST(ErrorTheory, BoundsAreNeverExceeded) {
  for (const char* op : {"sum", "mean", "dot", "accumulate"}) {
    for (const char* order : {"sequential", "pairwise", "lanes:8", "blocks:32"}) {
      const Experiment one = run({.op = op, .dtype = "bf16", .inside = "bf16", .order = order, .length = 100});
      EXPECT_EQ(one.measured.beyond_certain, 0u) << op << ' ' << order;
      EXPECT_EQ(one.measured.beyond_probable, 0u) << op << ' ' << order;
    }
  }
  const Experiment unit = run({.op = "matmul", .dtype = "e4m3", .unit = "h100/e4m3", .data = Distribution::kUniform});
  EXPECT_EQ(unit.measured.beyond_certain, 0u);
}

TEST(ErrorMeasureThreads, TheSameBitsForAnyNumberOfJobs) {
  ErrorQuestion question = question_of({.op = "dot", .dtype = "bf16", .rows = 700, .length = 300});
  question.model.rules.rounding = Rounding::kStochastic;
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  const Experiment one = run_experiment(question, data, 1, true).value();
  question.jobs = 5;
  const Experiment other = run_experiment(question, data, 1, true).value();
  EXPECT_EQ(one.measured.relative, other.measured.relative);
  EXPECT_EQ(one.measured.squares, other.measured.squares);
  EXPECT_EQ(one.predicted.squares, other.predicted.squares);
}

TEST(ErrorExplain, NamesTheCause) {
  const auto cause = [](const Asked& asked) { return cause_of(question_of(asked), run(asked)); };
  EXPECT_EQ(cause({.op = "dot", .dtype = "bf16", .length = 2000}), ErrorCause::kInput);
  EXPECT_EQ(cause({.dtype = "bf16", .inside = "bf16", .length = 1000}), ErrorCause::kInside);
  EXPECT_EQ(cause({.inside = "fp16", .length = 5000, .data = Distribution::kPositive}), ErrorCause::kStagnation);
  EXPECT_EQ(cause({.op = "norm", .inside = "fp16", .length = 5000, .deviation = 10}), ErrorCause::kOverflow);
  EXPECT_EQ(cause({.dtype = "fp32", .length = 1}), ErrorCause::kNone);
  EXPECT_EQ(cause({.dtype = "e4m3", .length = 16, .deviation = 1e-5}), ErrorCause::kFlush);
}

std::string text_of(const Report& report, Language language = Language::kEnglish) {
  RenderOptions options;
  options.language = language;
  return render_study(report, options);
}

TEST(ErrorReport, TellsThePlacesOfThePublishedFigures) {
  ErrorQuestion question = question_of({.op = "mean", .dtype = "bf16", .rows = 1000, .length = 10000});
  std::vector<ErrorFigures> all(40);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].mean = 0.005 + 0.0005 * static_cast<double>(i);
    all[i].most = static_cast<double>(i);
  }
  const std::string text = text_of(error_report(question, {}, all, std::nullopt));
  EXPECT_THAT(text, HasSubstr("above 25 %"));  // 1 %: ten of forty are below
  EXPECT_THAT(text, HasSubstr("above all"));   // 4,800 %
  EXPECT_THAT(text, HasSubstr("cannot be of one run"));
  EXPECT_THAT(text, HasSubstr("half-Cauchy"));
  all.resize(1);
  EXPECT_THAT(text_of(error_report(question, {}, all, std::nullopt)), HasSubstr("--seeds 200"));
  question.length = 9999;
  EXPECT_THAT(text_of(error_report(question, {}, all, std::nullopt)), Not(HasSubstr("published")));
}

TEST(ErrorOrders, OneOrderIsTheSameAndOthersAreNot) {
  ErrorQuestion question =
      question_of({.op = "sum", .dtype = "bf16", .inside = "bf16", .order = "pairwise", .length = 500});
  question.orders = 5;
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  const OrderStudy low = study_orders(question, data).value();
  EXPECT_EQ(low.changed_in_same_order, 0u);
  EXPECT_GT(low.shuffled.changed, low.shuffled.compared / 2);
  EXPECT_EQ(low.shuffled.compared, 5 * low.outputs);
  EXPECT_EQ(low.named.size(), 5u);
  question.model.compute = question.model.accumulator = *number_format("fp32");
  const OrderStudy high = study_orders(question, data).value();
  EXPECT_LT(high.shuffled.changed, high.shuffled.compared / 50);
}

TEST(ErrorOrders, TheShareThatChangesIsPredicted) {
  // 16 bits between result and sum: a few per cent, enough to count.
  ErrorQuestion question =
      question_of({.op = "sum", .dtype = "fp16", .inside = "p=18,emin=-126,emax=127", .rows = 2000, .length = 500});
  question.orders = 10;
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  const OrderStudy study = study_orders(question, data).value();
  const double measured = static_cast<double>(study.shuffled.changed) / static_cast<double>(study.shuffled.compared);
  EXPECT_GT(measured, 0.02);
  EXPECT_NEAR(study.shuffled.predicted_share / measured, 1, 0.2);
}

class ErrorFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("assay-error-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::vector<std::uint64_t>& shape,
                    const std::vector<float>& values) {
    const std::string path = (folder_ / name).string();
    const std::string bytes = write_npy(shape, values);
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::filesystem::path folder_;
};

TEST_F(ErrorFiles, AMatrixProductIsOfRowsAndColumns) {
  ErrorQuestion question = question_of({.op = "matmul", .dtype = "fp16"});
  question.length_given = false;
  question.data[0].path = write("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  question.data[1].path = write("b.npy", {3, 2}, {1, 10, 2, 20, 3, 30});
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  EXPECT_EQ(question.rows, 4u);
  EXPECT_EQ(question.length, 3u);
  const Lanes results = stored_results(question, data.rows(question, 1, 0, 4).value());
  EXPECT_EQ(results.values, (std::vector<double>{14, 140, 32, 320}));
}

TEST_F(ErrorFiles, NonFiniteDataGoThroughAndAreCounted) {
  const auto inf = std::numeric_limits<float>::infinity();
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  ErrorQuestion question = question_of({});
  question.length_given = false;
  question.data[0].path = write("x.npy", {4, 2}, {1, 2, inf, 1, nan, 1, 1e5F, 1});
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  const Measured measured = run_experiment(question, data, 1, true).value().measured;
  EXPECT_EQ(measured.outputs, 4u);
  EXPECT_EQ(measured.judged, 1u);
  EXPECT_EQ(measured.exact_not_finite, 2u);
  EXPECT_EQ(measured.not_finite, 1u);
  EXPECT_EQ(measured.data_not_finite, 2u);
  EXPECT_EQ(measured.data_overflowed, 1u);
  question.model.rules.overflow = Overflow::kAscend;  // Inf becomes 65504, NaN 0
  const Lanes results = stored_results(question, data.rows(question, 1, 0, 4).value());
  EXPECT_EQ(results.values, (std::vector<double>{3, 65504, 1, 65504}));
}

TEST_F(ErrorFiles, WhatCannotBeIsAnError) {
  const auto message = [](const ErrorQuestion& question) {
    const Result<Report> report = error_op(question);
    return report ? std::string("none") : report.error().message;
  };
  ErrorQuestion question = question_of({});
  question.length = 0;
  EXPECT_THAT(message(question), HasSubstr("--length 0"));
  question.length = std::size_t{1} << 30;
  EXPECT_THAT(message(question), HasSubstr("at most 16,777,216"));
  question.length = 10;
  question.rows = 0;
  EXPECT_THAT(message(question), HasSubstr("--rows 0"));
  question = question_of({.op = "gelu", .length = 10});
  question.orders = 3;
  EXPECT_THAT(message(question), HasSubstr("no sum whose order"));
  question = question_of({.op = "softmax", .length = 10, .unit = "h100/fp16"});
  EXPECT_THAT(message(question), HasSubstr("not done by a matrix unit"));
  question = question_of({.op = "dot", .dtype = "p=30,emin=-100,emax=100"});
  EXPECT_THAT(message(question), HasSubstr("not exact in FP64"));
  question = question_of({.op = "dot"});
  question.data[0].path = write("a.npy", {2, 10}, std::vector<float>(20));
  question.data[1].path = write("b.npy", {2, 9}, std::vector<float>(18));
  question.length_given = false;
  EXPECT_THAT(message(question), HasSubstr("9 numbers, those of the other input 10"));
  question.data[1].path = write("c.npy", {3, 10}, std::vector<float>(30));
  EXPECT_THAT(message(question), HasSubstr("3 rows, the other input 2"));
}

}  // namespace
}  // namespace assay
