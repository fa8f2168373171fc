#include "study/error_op.h"

#include "num/format.h"
#include "study/error_report.h"
#include "study/operators/operators.h"

namespace assay {

namespace {

// A row of so many numbers is worked on at once, in a handful of arrays.
constexpr std::size_t kMostLength = std::size_t{1} << 24;
constexpr std::size_t kMostOutputs = std::size_t{1} << 26;  // whose relative errors are kept until they are sorted
constexpr int kMostPrecision = 26;                          // of factors whose product is exact in FP64

// Whether every number of `narrow` is one of `wide`.
bool holds_all(const NumberFormat& wide, const NumberFormat& narrow) {
  return narrow.precision <= wide.precision && largest(narrow) <= largest(wide) &&
         smallest_positive(narrow) >= smallest_positive(wide) && (wide.has_sign || !narrow.has_sign);
}

Result<void> check(const ErrorQuestion& question) {
  const auto number = [](std::size_t count) { return format(Value(count)); };
  if (question.rows == 0) return fail(ErrorCode::kUsage, "--rows 0: there is nothing to compute");
  if (question.length == 0) return fail(ErrorCode::kUsage, "--length 0: a row needs at least one number");
  if (question.length > kMostLength) {
    return fail(ErrorCode::kLimit, "a row of " + number(question.length) + " numbers: at most " + number(kMostLength) +
                                       " can be set against an exact result");
  }
  const std::size_t outputs = question.op->one_output ? 1 : question.length;
  if (question.rows > kMostOutputs / outputs) {
    return fail(ErrorCode::kLimit, number(question.rows) + " rows of " + number(outputs) + " results: at most " +
                                       number(kMostOutputs) + " results at once; take fewer rows and more --seeds");
  }
  if (question.op->multiplies && question.model.input.precision > kMostPrecision &&
      question.model.input.precision != 53) {
    return fail(ErrorCode::kUsage, "products of " + question.model.input.title + " are not exact in FP64", {},
                "take a format of at most 26 bits of precision");
  }
  if (question.op == &kAllReduce) {
    const Result<void> possible = check(Collective{.ranks = question.length});
    if (!possible) return possible;
  }
  if (question.orders > 0 && !question.op->sums) {
    return fail(ErrorCode::kUsage, "'" + std::string(question.op->name) + "' has no sum whose order could change");
  }
  if (question.model.unit && !holds_all(question.model.unit->input, question.model.input)) {
    return fail(ErrorCode::kUsage,
                "the matrix unit takes " + question.model.unit->input.title + ", not " + question.model.input.title, {},
                "leave out --dtype and --input, or choose another unit ('assay unit list')");
  }
  if (question.model.unit && !question.op->multiplies) {
    return fail(ErrorCode::kUsage, "'" + std::string(question.op->name) + "' is not done by a matrix unit", {},
                "leave out --unit");
  }
  return {};
}

}  // namespace

Result<Report> error_op(const ErrorQuestion& asked) {
  ErrorQuestion question = asked;
  const ErrorInputs data = ASSAY_TRY(ErrorInputs::open(question));
  if (const Result<void> possible = check(question); !possible) return std::unexpected(possible.error());
  Experiment first;
  std::vector<ErrorFigures> all;
  for (std::size_t i = 0; i < question.seeds; ++i) {
    if (question.interrupted != nullptr && question.interrupted->load()) break;
    Experiment one = ASSAY_TRY(run_experiment(question, data, question.seed + i, i == 0));
    if (i > 0 && question.interrupted != nullptr && question.interrupted->load()) break;  // it is not whole
    all.push_back(figures_of(one.measured));
    if (i == 0) first = std::move(one);
  }
  std::optional<OrderStudy> orders;
  if (question.orders > 0) orders = ASSAY_TRY(study_orders(question, data));
  Report out = error_report(question, first, all, orders);
  out.complete = question.interrupted == nullptr || !question.interrupted->load();
  return out;
}

}  // namespace assay
