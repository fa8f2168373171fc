// A JSON document is read whole (at most 500 MB, so memory is bounded) and scanned twice: once to learn its keys,
// once to record. What is looked for, in this order:
//   * lists of objects: `log_history` of Hugging Face's trainer_state.json (then only that), or any other; each
//     object is a row;
//   * lists of numbers by metric: {"lm loss": [10.9, 10.8]}, {"lm loss": {"start_step": 1, "step_interval": 5,
//     "values": {"1": 10.9}}} (what Megatron-LM's and MindSpeed's tests compare against), {"train": {"loss": […]},
//     "steps": […]};
//   * an object of plain values: settings (a file of hyper-parameters), or one row where it has a step and a loss.
// A document that ends in the middle gives what stands before the end.

#include "format/tables/json_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "format/config/config_file.h"
#include "format/config/vocabulary.h"
#include "format/tables/ledger.h"
#include "format/tables/number.h"
#include "format/tables/object_rows.h"
#include "format/tables/scalar_export.h"

namespace assay {

namespace {

using Token = JsonScanner::Token;

constexpr std::size_t kLargest = std::size_t{500} << 20;
constexpr std::size_t kMostSettings = 2000;  // a vocabulary or a table of weights has more, a file of settings never
constexpr std::size_t kMostNumbers = 50'000'000;

struct NumberList {
  std::string path;
  IntegerColumn steps;  // as keys of the list tell them; else empty
  ValueColumn values;
  IntegerColumn lines;
};

struct PlainValue {
  std::string path;
  std::string text;
  std::int64_t line;
};

bool good(Token token) { return token != Token::kCut && token != Token::kError; }

class JsonDocument final : public StreamReader {
 public:
  explicit JsonDocument(Recorder& recorder) : recorder_(recorder), rows_(recorder), pivot_(recorder) {}

  void feed(std::span<const char> bytes) override {
    const std::size_t room = kLargest - std::min(kLargest, text_.size());
    too_large_ = too_large_ || bytes.size() > room;
    text_.append(bytes.data(), std::min(bytes.size(), room));
  }

  void finish(bool cut) override {
    trainer_state_ = text_.find("\"log_history\"") != std::string::npos;
    recorder_.file().kind = trainer_state_ ? "trainer_state.json" : "json";
    recorder_.dialect(trainer_state_ ? "hf-trainer" : "json");
    JsonScanner scanner(text_);
    const Token token = scan(scanner);
    // What people write with comments and single quotes is no history and is told by its own reader.
    const bool settings = token == Token::kError && rows_seen_ == 0;
    if (!settings) tell_end(scanner, token, cut);
    rows_.plan(trainer_state_ ? Quirk::kNanHiddenAsZero : Quirk::kNone);
    if (rows_seen_ > 0 && rows_.table().is_log()) {
      recording_ = true;
      JsonScanner again(text_);
      scan(again);
      rows_.finish();
      record_trainer_settings();
    } else if (!record_scalar_export(text_, recorder_.file().path, recorder_) && !record_lists() && !record_row()) {
      record_plain(settings);
    }
    recorder_.file().lines = std::count(text_.begin(), text_.end(), '\n') + (text_.ends_with('\n') ? 0 : 1);
  }

 private:
  Token scan(JsonScanner& scanner) {
    const Token token = scanner.next();
    if (token == Token::kObject) return scan_object(scanner, "");
    if (token == Token::kArray) return scan_array(scanner, "");
    return token;
  }

  void tell_end(const JsonScanner& scanner, Token token, bool cut) {
    if (too_large_) {
      tell_problem(recorder_, ErrorCode::kLimit, "is larger than 500 MB: only so much is read", scanner.line(),
                   "write the history as JSON lines, which are read without a limit");
    } else if (token == Token::kCut && !cut) {
      recorder_.truncated(scanner.line(), "the JSON document ends in the middle");
    } else if (token == Token::kError) {
      tell_problem(recorder_, ErrorCode::kCorrupt,
                   fmt::format("broken JSON: {}; what follows is not read", scanner.error()), scanner.line());
    }
  }

  // Behind kObject. kEndObject, kCut or kError.
  Token scan_object(JsonScanner& scanner, const std::string& path) {
    std::optional<std::size_t> numbered;  // the list that keys like "1", "2" make up
    for (;;) {
      Token token = scanner.next();
      if (token != Token::kKey) return token;
      const std::string name = json_unescaped(scanner.text());
      token = scanner.next();
      const std::string child = path.empty() ? name : path + "/" + name;
      const std::int64_t line = scanner.line();
      if (token == Token::kObject) {
        token = scan_object(scanner, child);
      } else if (token == Token::kArray) {
        token = scan_array(scanner, child);
      } else if (good(token) && !recording_) {
        const auto step = token == Token::kNull ? std::nullopt : step_of(name);
        const auto number = token == Token::kNumber ? std::optional(scanner.number()) : parse_number(scanner.text());
        if (step && number && token != Token::kTrue && token != Token::kFalse) {
          if (!numbered) numbered = new_list(path);
          add_number(*numbered, *number, line, *step);
        } else {
          add_plain(child, token, scanner, line);
        }
      }
      if (!good(token)) return token;
    }
  }

  // Behind kArray. kEndArray, kCut or kError.
  Token scan_array(JsonScanner& scanner, const std::string& path) {
    const bool history = !trainer_state_ || path == "log_history" || path.ends_with("/log_history");
    std::optional<std::size_t> list;
    for (;;) {
      const Token token = scanner.next();
      if (token == Token::kEndArray || !good(token)) return token;
      if (token == Token::kObject && history) {
        const std::size_t begin = scanner.position() - 1;
        const std::int64_t line = scanner.line();
        const Token end = rows_.read(scanner);
        if (!good(end)) return end;
        take_row(begin, line);
      } else if (token == Token::kObject || token == Token::kArray) {
        const Token inside = scanner.skip();
        if (!good(inside)) return inside;
      } else if (!recording_ && (token == Token::kNumber || token == Token::kString)) {
        const auto number = token == Token::kNumber ? std::optional(scanner.number()) : parse_number(scanner.text());
        if (!number) continue;
        if (!list) list = new_list(path);
        add_number(*list, *number, scanner.line(), kNoStep);
      }
    }
  }

  void take_row(std::size_t begin, std::int64_t line) {
    if (recording_) return rows_.record(line, std::string_view(text_).substr(begin, 200));
    ++rows_seen_;
    rows_.observe();
  }

  static std::optional<std::int64_t> step_of(std::string_view key) {
    const bool digits =
        !key.empty() && key.size() <= 15 && key.find_first_not_of("0123456789") == std::string_view::npos;
    if (!digits) return std::nullopt;
    std::int64_t step = 0;
    for (const char c : key) step = step * 10 + (c - '0');
    return step;
  }

  std::size_t new_list(const std::string& path) {
    lists_.push_back({path, {}, {}, {}});
    return lists_.size() - 1;
  }

  void add_number(std::size_t list, double value, std::int64_t line, std::int64_t step) {
    if (++numbers_ > kMostNumbers) return;
    if (step != kNoStep) lists_[list].steps.push_back(step);
    lists_[list].values.push_back(value);
    lists_[list].lines.push_back(line);
  }

  void add_plain(const std::string& path, Token token, const JsonScanner& scanner, std::int64_t line) {
    if (++plain_count_ > kMostSettings) return;
    constexpr std::size_t kLongestValue = 4096;
    std::string text(token == Token::kTrue    ? "true"
                     : token == Token::kFalse ? "false"
                     : token == Token::kNull  ? "None"
                                              : scanner.text().substr(0, kLongestValue));
    if (token == Token::kString) text = json_unescaped(text);
    plain_.push_back({path, std::move(text), line});
  }

  const PlainValue* plain(std::string_view path) const {
    const auto at = std::find_if(plain_.begin(), plain_.end(), [&](const PlainValue& v) { return v.path == path; });
    return at == plain_.end() ? nullptr : &*at;
  }

  void record_trainer_settings() {
    if (!trainer_state_) return;
    std::vector<FlatSetting> settings;
    for (const std::string_view key :
         {"max_steps", "num_train_epochs", "train_batch_size", "logging_steps", "eval_steps", "save_steps"}) {
      const PlainValue* value = plain(key);
      if (value != nullptr) settings.push_back({std::string(key), value->text, value->line});
    }
    record_settings(settings, recorder_, vocabulary_named("hf-trainer"));
  }

  // The step of the first value and the distance to the next, as golden values tell them beside the list.
  std::pair<std::int64_t, std::int64_t> first_and_stride(const std::string& parent) const {
    const auto number = [&](std::string_view name) -> std::optional<std::int64_t> {
      const PlainValue* value = plain(parent + "/" + std::string(name));
      const auto parsed = value == nullptr ? std::nullopt : parse_number(value->text);
      return parsed ? exact_integer(*parsed) : std::nullopt;
    };
    return {number("start_step").value_or(1), std::max<std::int64_t>(number("step_interval").value_or(1), 1)};
  }

  // Lists of numbers by metric; false where there are none that mean something.
  bool record_lists() {
    std::vector<KeyFacts> facts;
    for (NumberList& list : lists_) {
      KeyFacts& fact = facts.emplace_back();
      fact.key = list.path.ends_with("/values") ? list.path.substr(0, list.path.size() - 7) : list.path;
      for (const double value : list.values.span()) fact.see_number(value);
    }
    TablePlan plan(facts, 0);
    if (!plan.is_log()) return false;
    const auto axis =
        std::find_if(plan.keys().begin(), plan.keys().end(), [](const KeyPlan& k) { return k.use == KeyUse::kAxis; });
    const NumberList* steps =
        axis == plan.keys().end() ? nullptr : &lists_[static_cast<std::size_t>(axis - plan.keys().begin())];
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      const KeyPlan& key = plan.keys()[i];
      if (key.use == KeyUse::kValue) record_list(lists_[i], facts[i].key, key, steps);
    }
    pivot_.finish();
    recorder_.axis(steps != nullptr ? plan.axis() : "step");
    if (numbers_ > kMostNumbers) {
      tell_problem(recorder_, ErrorCode::kLimit,
                   fmt::format("more than {} numbers: the rest is not read", kMostNumbers));
    }
    return true;
  }

  void record_list(const NumberList& list, const std::string& name, const KeyPlan& plan, const NumberList* steps) {
    const Recorder::Column column = recorder_.column(plan.metric, plan.printed_as, plan.unit);
    const auto [first, stride] = first_and_stride(name);
    const bool own_steps = list.steps.size() == list.values.size();
    const bool shared_steps = steps != nullptr && steps->values.size() == list.values.size();
    std::int64_t counted = first;
    for (std::size_t i = 0; i < list.values.size(); ++i) {
      std::int64_t step = counted;
      if (own_steps) step = list.steps[i];
      if (shared_steps) step = exact_integer(steps->values[i]).value_or(kNoStep);
      pivot_.add(column, step, list.values[i] * plan.factor, list.lines[i]);
      counted = checked_add(counted, stride).value_or(counted);
    }
  }

  // The whole document is one record.
  bool record_row() {
    JsonScanner scanner(text_);
    if (scanner.next() != Token::kObject || rows_.read(scanner) != Token::kEndObject) return false;
    if (!rows_.row_looks_like_log()) return false;
    rows_.observe();
    rows_.plan();
    rows_.record(1, std::string_view(text_).substr(0, 200));
    return true;
  }

  void record_plain(bool tell_faults) {
    if (rows_.table().is_table_of_runs()) {
      return tell_no_log(recorder_, "is a table of runs, one in each object, and no log of one");
    }
    record_json_settings(text_, tell_faults, recorder_);
  }

  Recorder& recorder_;
  std::string text_;
  bool too_large_ = false;
  bool trainer_state_ = false;
  bool recording_ = false;  // second scan
  ObjectRows rows_;
  std::size_t rows_seen_ = 0;
  std::vector<NumberList> lists_;
  std::size_t numbers_ = 0;
  std::vector<PlainValue> plain_;
  std::size_t plain_count_ = 0;
  Pivot pivot_;
};

}  // namespace

namespace {

bool is_json_name(std::string_view path) { return path.ends_with(".json") || path.ends_with(".jsonc"); }

// With comments or single quotes.
bool is_relaxed_json(std::string_view prefix) {
  JsonScanner scanner(prefix, 1, JsonScanner::Dialect::kRelaxed);
  for (std::size_t tokens = 0;; ++tokens) {
    const Token token = scanner.next();
    if (token == Token::kError) return false;
    if (token == Token::kEnd || token == Token::kCut) return tokens > 2;
  }
}

}  // namespace

bool is_json_document(std::string_view path, std::string_view prefix, bool whole) {
  const std::string_view start = trimmed(prefix);
  const bool commented = is_json_name(path) && (start.starts_with("//") || start.starts_with("/*"));
  if (!commented && !start.starts_with('{') && !start.starts_with('[')) return false;
  JsonScanner scanner(prefix);
  std::size_t tokens = 0;
  for (;; ++tokens) {
    const Token token = scanner.next();
    if (token == Token::kEnd) return trimmed(prefix.substr(scanner.position())).empty();
    // "[" alone may be the start of a line's time stamp.
    if (token == Token::kCut) return !whole || tokens > 2 || is_json_name(path);
    if (token == Token::kError) return is_json_name(path) && (tokens > 2 || is_relaxed_json(prefix));
  }
}

std::unique_ptr<StreamReader> open_json_document(Recorder& recorder) {
  return std::make_unique<JsonDocument>(recorder);
}

}  // namespace assay
