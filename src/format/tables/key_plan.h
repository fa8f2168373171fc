#pragma once
// Which column of a table is its step axis, which is the loss, and what becomes of the others.
//
// The plan is made once, from the names of the columns and from what the first rows show of them, and holds for the
// whole table: a log has `loss` in every row and `train/loss` in every hundredth, and only together do they tell that
// the first is the training loss and the second an evaluation on the training set.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/series.h"
#include "core/metric_names.h"
#include "format/tables/data_split.h"

namespace assay {

/// What the first rows of a table show of one of its keys.
struct KeyFacts {
  std::string key;            // as written
  std::int64_t numbers = 0;   // cells that are numbers, nan and inf among them
  std::int64_t texts = 0;     // cells that are other text
  std::int64_t integers = 0;  // numbers that may count steps
  std::int64_t rises = 0;     // from one number to the next
  std::int64_t falls = 0;
  std::int64_t turns = 0;   // a rise after a fall, or a fall after a rise
  std::int64_t splits = 0;  // texts that name a part of the data: "train", "val", …
  double last = std::numeric_limits<double>::quiet_NaN();
  bool falling = false;
  bool moved = false;

  void see_number(double value);
  void see_text(std::string_view text);
  /// The values are numbers, as far as was seen.
  bool numeric() const { return numbers > 0 && numbers >= texts; }
};

enum class KeyUse : std::uint8_t {
  kSkip,
  kValue,
  kAxis,
  kTotalSteps,
  kRank,
  kSplit,       // tells whether the row is of training or of evaluation
  kMetricName,  // long form: names what `kMetricValue` is
  kMetricValue,
};

struct KeyPlan {
  KeyUse use = KeyUse::kSkip;
  std::string metric;  // for kValue
  std::string printed_as;
  Unit unit = Unit::kNone;
  double factor = 1;
  bool left_out = false;  // kSkip because of its name: it is known, and tells nothing of training
};

class TablePlan {
 public:
  TablePlan() = default;
  /// facts: one for each column, in the order of the table. rows: how many rows they are from.
  TablePlan(std::span<const KeyFacts> facts, std::int64_t rows);

  const std::vector<KeyPlan>& keys() const { return keys_; }
  /// The key that counts steps; empty where there is none.
  const std::string& axis() const { return axis_; }
  /// It has what a training log has: an axis and something on it, or a metric that only training has.
  bool is_log() const { return is_log_; }
  /// One row is one run: settings and a result.
  bool is_table_of_runs() const { return is_table_of_runs_; }
  /// A column `metric`, a column `value`.
  bool long_form() const { return long_form_; }

  /// The plan for a key that no row showed before. It never becomes the axis.
  KeyPlan plan_late(std::string_view key);
  /// The plan for a value under `key` in a row of evaluation.
  KeyPlan plan_evaluation(std::string_view key);
  /// The plan for a value that a row calls `name`, in the long form.
  KeyPlan plan_named(std::string_view name) { return plan_late(name); }

 private:
  void choose_axis(std::span<const KeyFacts> facts);
  void choose_long_form(std::span<const KeyFacts> facts);
  void choose_metrics(std::span<const KeyFacts> facts);
  void plan_other_steps(std::span<const KeyFacts> facts);
  void judge(std::span<const KeyFacts> facts, std::int64_t rows);
  KeyPlan value_plan(std::string_view key, const KeyMeaning* meaning);
  KeyPlan own_name(std::string_view key);

  std::vector<KeyPlan> keys_;
  std::set<std::string, std::less<>> taken_;  // metrics that a key has
  std::map<std::string, int> repeats_;        // of names that look alike: how many have been numbered
  std::string axis_;
  bool is_log_ = false;
  bool is_table_of_runs_ = false;
  bool long_form_ = false;
};

/// The meaning of a key, also behind the name of a run ("run-7 - train/loss", as W&B exports it).
std::optional<KeyMeaning> meaning_of_column(std::string_view key);

}  // namespace assay
