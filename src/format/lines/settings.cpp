#include "format/lines/settings.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "assay/setting.h"
#include "core/metric_names.h"
#include "format/config/flat_settings.h"
#include "format/config/literal.h"
#include "format/config/vocabulary_tables.h"
#include "format/lines/line_source.h"
#include "format/lines/logger_prefix.h"
#include "format/lines/number_scan.h"
#include "format/lines/setting_blocks.h"
#include "format/lines/setting_sentences.h"

namespace assay::lines {

namespace {

constexpr std::size_t kLongestKey = 80;
constexpr std::size_t kLongestValue = 400;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  while (!text.empty() && (text.back() == ',' || text.back() == '\'' || text.back() == '"')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == '\'' || text.front() == '"')) text.remove_prefix(1);
  return text;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && text.size() <= kLongestKey && !is_digit(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '-' || c == '.'; });
}

// Whether a line is one of settings may not depend on how its numbers happen to be written: they are passed over.
std::size_t token_size(std::string_view text) {
  const Token token = scan_token(text.data(), text.data() + text.size());
  return token ? static_cast<std::size_t>(token.end - text.data()) : 0;
}

// "346,940"
bool is_grouped(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma > 3 || text.size() % 4 != comma % 4) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool place = i % 4 == comma % 4;
    if (place ? text[i] != ',' : !is_digit(text[i])) return false;
  }
  return true;
}

// Nothing but what launchers and loggers write, a stamp or a level at its end.
bool is_logger_prefix(std::string_view text) {
  return trimmed(logged_message(text.substr(launcher_prefix(text).size()))).empty();
}

// Keys under which a program also prints its metrics: alone on a line they are a metric as likely as a setting.
bool is_also_metric(std::string_view canonical) {
  return canonical == setting::kLearningRate || canonical == setting::kLossScale;
}

// Which of the keys of MLPerf's log are settings.
bool is_benchmark_setting(std::string_view key) {
  constexpr auto kKept = std::to_array<std::string_view>(
      {"eval_samples", "init_checkpoint_step", "submission_benchmark", "submission_platform", "target_accuracy"});
  return key.starts_with("opt_") || term_of(kMlperfWords, key) != nullptr || !common_setting(key).empty() ||
         std::find(kKept.begin(), kKept.end(), key) != kKept.end();
}

class Taker {
 public:
  Taker(std::string_view line, std::int64_t number, Recorder& recorder)
      : line_(line), number_(number), recorder_(recorder) {}

  bool take() {
    return line_.size() <= 16384 &&
           (take_sentence(message(), number_, recorder_) || options() || dotted() || banner() || barred() ||
            parameter() || benchmark() || padded() || pair() || cell() || pairs());
  }

  // "lr: 3e-4" that proved to be no record of a series.
  bool take_rate() { return pair(true); }

 private:
  void record(std::string_view key, std::string_view value, const Vocabulary& words = shared_vocabulary()) {
    value = unquoted(value).substr(0, kLongestValue);
    FlatSetting one{std::string(key), std::string(value), number_};
    if (is_grouped(value)) std::erase(one.text, ',');
    record_setting(one, recorder_, words);
  }

  // The text behind the last mark of a logger: "] ", " - ", ">> ". Every unknown line comes here, so it is one pass.
  std::string_view message() const {
    for (std::size_t at = line_.size(); at-- > 1;) {
      if (line_[at] != ' ') continue;
      const char c = line_[at - 1];
      const char before = at > 1 ? line_[at - 2] : '\0';
      if (c == ']' || (c == '-' && before == ' ') || (c == '>' && before == '>')) return trimmed(line_.substr(at + 1));
    }
    return trimmed(logged_message(line_));
  }

  bool dotted() {
    std::size_t dots = line_.find("..");
    while (dots != std::string_view::npos && (dots == 0 || line_[dots - 1] != ' ')) dots = line_.find("..", dots + 1);
    if (dots == std::string_view::npos) return false;
    --dots;
    std::size_t from = dots;
    while (from > 0 && !is_blank(line_[from - 1])) --from;
    const std::string_view key = line_.substr(from, dots - from);
    std::size_t end = dots + 1;
    while (end < line_.size() && line_[end] == '.') ++end;
    if (!is_identifier(key) || (end < line_.size() && !is_blank(line_[end]))) return false;
    // The key opens what the program prints: "(Reading database ... 5%" is a sentence.
    const std::string_view before = trimmed(line_.substr(0, from));
    const bool opens = before.empty() || !is_word(before.back()) || is_logger_prefix(before);
    if (before.ends_with("...") || !opens) return false;
    const std::string_view printed = trimmed(line_.substr(end));
    const std::string_view value = without_origin(printed);
    // DeepSpeed prints its configuration like this; Megatron-LM's lines may come without the rule above them.
    const bool deepspeed = before.find("[config.py:") != std::string_view::npos;
    const Vocabulary& plain = value.size() < printed.size() ? kGptNeoxWords : kMegatronWords;
    if (!value.empty()) record(key, value, deepspeed ? kDeepspeedDumpWords : plain);
    return true;
  }

  bool banner() {
    std::size_t equals = line_.find("= ");
    while (equals != std::string_view::npos && (equals == 0 || line_[equals - 1] != ' ')) {
      equals = line_.find("= ", equals + 1);
    }
    if (equals == std::string_view::npos) return false;
    --equals;
    // "[INFO|trainer.py:2000] >>   Num Epochs", "05/01/2024 10:00:00 - INFO - __main__ -   Num Epochs"
    std::string_view key = trimmed(line_.substr(0, equals));
    for (const std::string_view mark : {">> ", " - "}) {
      const std::size_t prefix = key.rfind(mark);
      if (prefix != std::string_view::npos) key = trimmed(key.substr(prefix + mark.size()));
    }
    const std::string_view canonical = common_setting(key);
    if (canonical.empty() || key.find(' ') == std::string_view::npos) return false;
    record(key, line_.substr(equals + 3));
    return true;
  }

  // Unsloth's banner, beside a picture of letters: "O^O/ \_/ \    Batch size per device = 2 | Gradient accumulation
  // steps = 4". All parts are pairs and none is a metric.
  bool barred() {
    if (line_.find(" = ") == std::string_view::npos || line_.find(" | ") == std::string_view::npos) return false;
    std::vector<std::pair<std::string_view, std::string_view>> found;
    bool known = false;
    for (std::string_view rest = line_; !rest.empty();) {
      const std::size_t bar = rest.find(" | ");
      const std::string_view part = trimmed(rest.substr(0, bar));
      rest = bar == std::string_view::npos ? std::string_view{} : rest.substr(bar + 3);
      const std::size_t equals = part.find(" = ");
      if (equals == std::string_view::npos) return false;
      std::string_view key = trimmed(part.substr(0, equals));
      if (const std::size_t gap = key.rfind("   "); gap != std::string_view::npos) key = trimmed(key.substr(gap));
      key = trimmed(key.substr(0, key.find(" (")));  // "Total batch size (2 x 4 x 1)"
      const std::string_view value = trimmed(part.substr(equals + 3));
      const auto meaning = meaning_of(key);
      if (key.empty() || value.empty() || !is_digit(value.front())) return false;
      if (common_setting(key).empty() && meaning && meaning->role == KeyRole::kMetric) return false;
      known = known || (!common_setting(key).empty() && !is_also_metric(common_setting(key)));
      found.emplace_back(key, value);
    }
    for (const auto& [key, value] : found) {
      if (known) record(key, value);
    }
    return known;
  }

  // "DLL 2020-06-03 … - PARAMETER learning_rate : 0.006  train_batch_size : 64"
  bool parameter() {
    constexpr std::string_view kMark = " - PARAMETER ";
    constexpr std::string_view kRelation = " : ";
    if (!line_.starts_with("DLL ")) return false;
    const std::size_t at = line_.find(kMark);
    if (at == std::string_view::npos) return false;
    std::string_view rest = line_.substr(at + kMark.size());
    std::size_t colon = rest.find(kRelation);
    if (colon == std::string_view::npos || rest.starts_with("loss_scale ")) return false;
    while (colon != std::string_view::npos) {
      const std::string_view key = trimmed(rest.substr(0, colon));
      rest.remove_prefix(colon + kRelation.size());
      colon = rest.find(kRelation);
      // The word before the next relation is the next key.
      const std::string_view before = trimmed(rest.substr(0, colon));
      const std::size_t blank = colon == std::string_view::npos ? before.size() : before.find_last_of(" \t");
      const std::size_t end = blank == std::string_view::npos ? 0 : blank;
      const std::string_view value = trimmed(before.substr(0, end));
      if (!value.empty()) record(key, value);
      rest.remove_prefix(static_cast<std::size_t>(before.data() + end - rest.data()));
      colon = rest.find(kRelation);
    }
    return true;
  }

  // MLPerf's log: {"key": "opt_base_learning_rate", "value": 2e-05, …}
  bool benchmark() {
    constexpr std::string_view kKey = R"("key": ")";
    constexpr std::string_view kValue = R"("value": )";
    if (line_.starts_with("DLLL ") || line_.starts_with("DLL {")) return dllogger();
    const std::size_t mark = line_.find(":::MLLOG");
    const std::size_t at = mark == std::string_view::npos ? mark : line_.find(kKey, mark);
    if (at == std::string_view::npos) return false;
    const std::size_t from = at + kKey.size();
    const std::string_view key = line_.substr(from, std::min(line_.find('"', from), line_.size()) - from);
    const std::size_t value = line_.find(kValue, from);
    if (!is_benchmark_setting(key) || value == std::string_view::npos) return false;
    std::string_view rest = line_.substr(value + kValue.size());
    rest = rest.substr(0, rest.find_first_of(",}"));
    if (rest == "null") return false;
    record(key, rest, kMlperfWords);
    return true;
  }

  bool dllogger() {
    constexpr std::string_view kData = R"("data":)";
    const std::size_t data = line_.find(kData);
    if (line_.find(R"("PARAMETER")") == std::string_view::npos || data == std::string_view::npos) return false;
    const std::string_view value = trimmed(line_.substr(data + kData.size()));
    const std::size_t close = value.starts_with('{') ? closing_bracket(value, 0) : std::string_view::npos;
    if (close == std::string_view::npos) return false;
    record_leaves(value.substr(0, close + 1), "", number_, recorder_);
    return true;
  }

  bool padded() {
    const std::string_view text = message();
    const std::size_t gap = text.find(' ');  // what stands before the first two blanks holds none
    if (gap == std::string_view::npos || gap + 1 == text.size() || text[gap + 1] != ' ') return false;
    const std::string_view key = text.substr(0, gap);
    const std::string_view value = trimmed(text.substr(gap));
    if (!is_identifier(key) || common_setting(key).empty() || value.empty()) return false;
    if (value.find_first_of(" \t:=|") != std::string_view::npos) return false;
    record(key, value);
    return true;
  }

  // A command line, or a line of a launch script: "--lr 3e-4 --clip-grad=1.0 \\", "'--lr', '3e-4'".
  // Behind the name of a program options of any name are settings: "python train.py --n_epoch=100".
  bool options() {
    int taken = 0;
    const bool usage = line_.find("sage:") != std::string_view::npos;
    const std::size_t program = usage ? std::string_view::npos : line_.find(".py --");
    for (std::size_t at = line_.find("--"); at != std::string_view::npos; at = line_.find("--", at + 2)) {
      if (at > 0 && !is_blank(line_[at - 1]) && line_[at - 1] != '\'' && line_[at - 1] != '"') continue;
      std::size_t end = at + 2;
      while (end < line_.size() && (is_word(line_[end]) || line_[end] == '-')) ++end;
      const std::string_view key = line_.substr(at + 2, end - at - 2);
      if (common_setting(key).empty() && (at < program || key.empty())) continue;
      std::string_view rest = line_.substr(end);
      while (!rest.empty() &&
             (is_blank(rest[0]) || rest[0] == '=' || rest[0] == '\'' || rest[0] == '"' || rest[0] == ',')) {
        rest.remove_prefix(1);
      }
      const std::string_view value = rest.substr(0, rest.find_first_of(" \t'\",;"));
      const bool flag = value.empty() || value == "\\" || value.starts_with("--");
      if (flag && common_setting(key) != setting::kFp16 && common_setting(key) != setting::kBf16) continue;
      // "$LR" and "[--lr LR]" give no value.
      if (!flag && value.find_first_of("$[]<>{}()") != std::string_view::npos) continue;
      if (!flag &&
          std::none_of(value.begin(), value.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); })) {
        continue;
      }
      record(key, flag ? "true" : value);
      ++taken;
    }
    return taken > 0;
  }

  bool pair(bool rate = false) {
    const std::string_view text = message();
    std::size_t at = 0;
    while (at < text.size() && (is_word(text[at]) || text[at] == '-' || text[at] == '"' || text[at] == '\'')) ++at;
    const std::string_view key = unquoted(text.substr(0, at));
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at >= text.size() || (text[at] != ':' && text[at] != '=')) return false;
    const std::string_view canonical = common_setting(key);
    const std::string_view value = unquoted(text.substr(at + 1, text.find(" #", at) - at - 1));
    // "LR=3e-4" of a shell.
    const bool variable = text.starts_with(key) && text.substr(key.size()).starts_with('=') &&
                          std::none_of(key.begin(), key.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (canonical.empty() || (is_also_metric(canonical) && !rate && !variable) || value.empty()) return false;
    if (value.find('$') != std::string_view::npos) return false;
    if (value.substr(token_size(value)).find_first_of(" \t:=|,({[") != std::string_view::npos) return false;
    record(key, value);
    return true;
  }

  // "| weight_decay | 0.1 |": known keys only, and none that is also a metric.
  bool cell() {
    std::string_view text = trimmed(line_);
    const std::string_view bar = text.starts_with('|') ? "|" : "│";
    if (!text.starts_with(bar) || !text.ends_with(bar) || text.size() <= 2 * bar.size()) return false;
    text = text.substr(bar.size(), text.size() - 2 * bar.size());
    const std::size_t middle = text.find(bar);
    if (middle == std::string_view::npos || text.find(bar, middle + bar.size()) != std::string_view::npos) return false;
    const std::string_view key = trimmed(text.substr(0, middle));
    const std::string_view value = trimmed(text.substr(middle + bar.size()));
    const std::string_view canonical = common_setting(key);
    if (canonical.empty() || is_also_metric(canonical) || value.empty() || !is_identifier(key)) return false;
    if (key == "iterations" || key == "steps") return false;  // of what a table has measured: so many until now
    record(key, value);
    return true;
  }

  bool pairs() {
    const std::string_view text = trimmed(line_);
    std::size_t colons = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == ' ' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == ':')) return false;
      if (text[i] != ':') continue;
      ++colons;
      i += token_size(text.substr(i + 1));
    }
    if (colons < 2 || colons != static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1) return false;
    return !tells_metric(text) && take_pairs(text, ':', ' ') > 0;
  }

  static bool tells_metric(std::string_view text) {
    while (!text.empty()) {
      const std::size_t colon = text.find(':');
      if (colon == std::string_view::npos) return false;
      const std::string_view key = text.substr(0, colon);
      if (common_setting(key).empty() && (meaning_of(key) || key.ends_with("loss"))) return true;
      const std::size_t next = text.find(' ', colon);
      if (next == std::string_view::npos) return false;
      text.remove_prefix(next + 1);
    }
    return false;
  }

  int take_pairs(std::string_view text, char relation, char separator) {
    int taken = 0;
    while (!text.empty()) {
      const std::size_t end = text.find(separator);
      const std::string_view part = trimmed(text.substr(0, end));
      const std::size_t at = part.find(relation);
      if (at != std::string_view::npos) {
        const std::string_view key = trimmed(part.substr(0, at));
        std::string_view value = part.substr(at + 1);
        while (!value.empty() && value.back() == ')') value.remove_suffix(1);
        if (!common_setting(key).empty() && !value.empty()) {
          record(key, value);
          ++taken;
        }
      }
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    return taken;
  }

  std::string_view line_;
  std::int64_t number_;
  Recorder& recorder_;
};

}  // namespace

bool take_settings(std::string_view line, std::int64_t number, Recorder& recorder) {
  return Taker(line, number, recorder).take();
}

bool take_rate_setting(std::string_view line, std::int64_t number, Recorder& recorder) {
  return Taker(line, number, recorder).take_rate();
}

}  // namespace assay::lines
