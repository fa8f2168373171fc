#include "format/lines/setting_blocks.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "format/config/python_value.h"
#include "format/config/vocabulary_tables.h"
#include "format/lines/line_source.h"
#include "format/lines/logger_prefix.h"
#include "format/lines/number_scan.h"

namespace assay::lines {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr int kMostLines = 8192;
constexpr int kMostStrangers = 8;
constexpr std::size_t kLongestValue = 400;
constexpr std::size_t kMostLeaves = 2000;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_word);
}

// "---------- arguments ----------", Megatron's and GPT-NeoX's, and what DeepSpeed's launchers say in the same way.
bool is_rule(std::string_view body, std::string_view title) {
  const std::size_t at = body.find(title);
  return at != std::string_view::npos && body.starts_with("---") && body.ends_with("---") &&
         trimmed(body.substr(body.find_first_not_of('-'),
                             body.find_last_not_of('-') + 1 - body.find_first_not_of('-'))) == title;
}

// What is printed of an object of settings opens with its class.
bool is_class_of_settings(std::string_view name) {
  constexpr std::array<std::string_view, 8> kEndings{"Namespace",       "Arguments", "Args",    "Config",
                                                     "Hyperparameters", "HParams",   "Hparams", "Params"};
  constexpr std::array<std::string_view, 4> kOthers{"Generat", "Tokenizer", "Quant", "Processor"};
  name = name.substr(name.find_last_of('.') + 1);
  return std::any_of(kEndings.begin(), kEndings.end(), [&](auto ending) { return name.ends_with(ending); }) &&
         std::none_of(kOthers.begin(), kOthers.end(),
                      [&](auto other) { return name.find(other) != std::string_view::npos; });
}

// "Model config LlamaConfig {", "json = {", "Running with args: {", "config: {'a': 1}"
bool is_title_of_settings(std::string_view before) {
  before = trimmed(before);
  if (before.ends_with('=') || before.ends_with(':')) before = trimmed(before.substr(0, before.size() - 1));
  std::size_t begin = before.size();
  while (begin > 0 && (is_word(before[begin - 1]) || before[begin - 1] == '.')) --begin;
  const std::string_view word = before.substr(begin);
  constexpr std::array<std::string_view, 14> kTitles{
      "json", "config",   "configuration", "args", "arguments", "hparams",       "parameters",
      "cfg",  "settings", "Config",        "Args", "Arguments", "Configuration", "hyperparameters"};
  if (before.find("enerat") != std::string_view::npos || before.find("okenizer") != std::string_view::npos)
    return false;
  return std::find(kTitles.begin(), kTitles.end(), word) != kTitles.end() || is_class_of_settings(word);
}

// Where a printed value of settings begins, or npos.
std::size_t literal_begin(std::string_view body) {
  for (std::size_t at = body.find_first_of("({"); at != std::string_view::npos; at = body.find_first_of("({", at + 1)) {
    if (body[at] == '{') {
      // fairseq prints its tree without a title.
      if (body.substr(at).starts_with("{'_name': ")) return at;
      if (at > 0 && is_title_of_settings(body.substr(0, at))) return at;
      return std::string_view::npos;  // any other record in braces
    }
    std::size_t begin = at;
    while (begin > 0 && (is_word(body[begin - 1]) || body[begin - 1] == '.')) --begin;
    if (!is_class_of_settings(body.substr(begin, at - begin))) continue;
    const std::string_view inner = trimmed(body.substr(at + 1));
    std::size_t key = 0;
    while (key < inner.size() && is_word(inner[key])) ++key;
    const bool named = key > 0 && key < inner.size() && inner[key] == '=' && !inner.substr(key).starts_with("==");
    if (inner.empty() || inner == ")" || named) return begin;
  }
  return std::string_view::npos;
}

// "***** Running Evaluation *****", whose numbers of examples and of a batch are not those of the training.
bool is_other_banner(std::string_view body) {
  constexpr std::string_view kMark = "***** Running ";
  const std::size_t at = body.ends_with('*') ? body.find(kMark) : std::string_view::npos;
  return at != std::string_view::npos && !body.substr(at + kMark.size()).starts_with("training");
}

bool is_of_banner(std::string_view body) {
  return is_other_banner(body) || body.find("Num examples") != std::string_view::npos ||
         body.find("Batch size") != std::string_view::npos;
}

// "[2024-05-01 10:00:00] [INFO] …": what a logger puts before a line of its own.
bool is_logged(std::string_view body) {
  if (!body.starts_with('[')) return false;
  const Token token = scan_token(body.data() + 1, body.data() + body.size());
  return token.kind == TokenKind::kStamp || body.find("] [") != std::string_view::npos ||
         body.find("] ") < body.find(',');
}

// Whether a line can go on with a value whose innermost bracket is closed by `closer`.
bool goes_on(std::string_view body, char closer) {
  if (body.empty()) return true;
  const char c = body[0];
  if (std::string_view("\"'}]),").find(c) != std::string_view::npos) return true;
  if (closer == '}') return false;  // in an object a key comes first
  if (is_logged(body)) return false;
  if (std::string_view("{[(").find(c) != std::string_view::npos) return true;
  if (is_digit(c) || c == '-' || c == '<' || c == '.')
    return body.ends_with(',') || body.find(' ') == std::string_view::npos;
  std::size_t at = 0;
  while (at < body.size() && (is_word(body[at]) || body[at] == '.')) ++at;
  if (at == body.size() || body[at] == ',') return true;  // true, None, SchedulerType.LINEAR
  return body[at] == '=' || body[at] == '(';
}

// The source of a program says where a value comes from: `lr=args.lr`.
bool is_source(const Leaf& leaf) {
  constexpr std::array<std::string_view, 7> kObjects{"args.", "self.", "config.", "cfg.", "opt.", "hparams.", "FLAGS."};
  if (leaf.quoted) return false;
  const std::string_view last = std::string_view(leaf.path).substr(leaf.path.find_last_of('/') + 1);
  return leaf.text == last ||
         std::any_of(kObjects.begin(), kObjects.end(), [&](auto object) { return leaf.text.starts_with(object); });
}

// "optimizer=OptimizerConfig(name='adamw')": the class says nothing that its fields do not say.
bool names_a_class_of_settings(const Leaf& leaf) {
  return !leaf.quoted && leaf.text.find_first_of(" ([{") == std::string::npos && is_class_of_settings(leaf.text);
}

// SchedulerType.COSINE, OptimizerNames.ADAMW_TORCH: what the option is called.
std::string enumerated(const Leaf& leaf) {
  const std::size_t point = leaf.text.find('.');
  constexpr std::array<std::string_view, 4> kEndings{"Type", "Names", "Strategy", "Mode"};
  const std::string_view type = std::string_view(leaf.text).substr(0, point);
  const std::string_view name = point == std::string::npos ? "" : std::string_view(leaf.text).substr(point + 1);
  const bool is_enum = !leaf.quoted && is_identifier(type) && is_identifier(name) &&
                       std::any_of(kEndings.begin(), kEndings.end(), [&](auto end) { return type.ends_with(end); }) &&
                       std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_enum ? lower(name) : leaf.text;
}

}  // namespace

void append_leaves(std::string_view text, std::string_view path, std::int64_t line, std::vector<FlatSetting>& out) {
  std::vector<Leaf> leaves;
  flatten_literal(text, path, line, leaves);
  for (std::size_t i = 0; i < std::min(leaves.size(), kMostLeaves); ++i) {
    const Leaf& leaf = leaves[i];
    if (is_source(leaf) || leaf.path.empty() || names_a_class_of_settings(leaf)) continue;
    out.push_back({leaf.path, enumerated(leaf).substr(0, kLongestValue), leaf.line});
  }
}

void record_leaves(std::string_view text, std::string_view path, std::int64_t line, Recorder& recorder) {
  std::vector<FlatSetting> settings;
  append_leaves(text, path, line, settings);
  record_settings(settings, recorder);
}

bool SettingBlocks::open(std::string_view line, std::int64_t number) {
  const std::string_view sure = launcher_prefix(line);
  launcher_ = sure.empty() ? likely_prefix(line) : sure;
  sure_ = !sure.empty();
  const std::string_view body = trimmed(line.substr(launcher_.size()));
  if (body.ends_with("---") && is_rule(trimmed(logged_message(body)), "arguments")) return begin(Kind::kDump);
  if (body.starts_with("Overriding config with ") && body.ends_with(':')) {  // nanoGPT prints the file
    return begin(Kind::kAssignments);
  }
  if (is_other_banner(body)) return begin(Kind::kOtherBanner);
  return open_literal(body, number) || open_dotted(body, number);
}

bool SettingBlocks::open_literal(std::string_view body, std::int64_t number) {
  const std::size_t at = literal_begin(body);
  return at != std::string_view::npos && begin(body.substr(at), "", number);
}

// DeepSpeed's "optimizer_params ............. {'lr': 1e-05}", on one line or over several.
bool SettingBlocks::open_dotted(std::string_view body, std::int64_t number) {
  const std::size_t at = body.find(".. {");
  if (at == std::string_view::npos) return false;
  const std::size_t dots = body.find_last_not_of('.', at);
  if (dots == std::string_view::npos || body[dots] != ' ') return false;
  const std::string_view before = trimmed(body.substr(0, dots));
  const std::string_view key = before.substr(before.find_last_of(" \t") + 1);
  return is_identifier(key) && begin(body.substr(at + 3), key, number);
}

bool SettingBlocks::begin(Kind kind) {
  kind_ = kind;
  strangers_ = 0;
  lines_ = 0;
  return true;
}

bool SettingBlocks::begin(std::string_view value, std::string_view path, std::int64_t number) {
  const std::size_t close = closing_bracket(value, value.find_first_of("({"));
  if (close != std::string_view::npos) {
    record_literal(value.substr(0, close + 1), path, number);
    return true;
  }
  brackets_ = {};
  if (!brackets_.line(value)) return false;
  kind_ = Kind::kLiteral;
  text_ = value;
  path_ = path;
  first_line_ = number;
  strangers_ = 0;
  lines_ = 1;
  return true;
}

void SettingBlocks::record_literal(std::string_view text, std::string_view path, std::int64_t number) {
  if (path.empty()) return record_leaves(text, path, number, recorder_);
  std::vector<FlatSetting> settings;  // of DeepSpeed's flat dump
  append_leaves(text, path, number, settings);
  for (const FlatSetting& one : settings) record_setting(one, recorder_, kDeepspeedDumpWords);
}

std::string_view SettingBlocks::behind_prefix(std::string_view line) const {
  const std::string_view sure = launcher_prefix(line);
  if (!sure.empty()) return line.substr(sure.size());
  const std::string_view likely = launcher_.empty() ? std::string_view{} : likely_prefix(line);
  return same_but_digits(likely, launcher_) ? line.substr(likely.size()) : line;
}

bool SettingBlocks::take(std::string_view line, std::int64_t number, bool unended) {
  if (sure_ && launcher_prefix(line) != launcher_) return false;  // another process
  if (kind_ == Kind::kOtherBanner && line.find("***** Running training") != std::string_view::npos) close();
  if (idle()) return false;
  const std::string_view body = trimmed(behind_prefix(line));
  const bool taken = kind_ == Kind::kDump          ? take_dump_line(body, number, unended)
                     : kind_ == Kind::kAssignments ? take_assignment(body, number, unended)
                     : kind_ == Kind::kOtherBanner ? is_of_banner(body)
                                                   : take_literal_line(body);
  if (idle()) return taken;
  strangers_ = taken ? 0 : strangers_ + 1;
  if (strangers_ > kMostStrangers || ++lines_ > kMostLines) close();
  return taken;
}

// `name ....... value`; a long name leaves one blank and no dots.
bool SettingBlocks::take_dump_line(std::string_view body, std::int64_t number, bool unended) {
  body = trimmed(logged_message(body));
  if (is_rule(body, "end of arguments")) {
    close();
    return true;
  }
  const std::size_t gap = body.find(' ');
  const std::string_view key = body.substr(0, gap);
  if (gap == std::string_view::npos || !is_identifier(key)) return false;
  std::string_view value = trimmed(body.substr(gap));
  constexpr std::size_t kShortestBare = 28;  // the narrowest padding there was
  const std::size_t dots = std::min(value.find_first_not_of('.'), value.size());
  if (dots == value.size()) return true;  // nothing is set
  const bool dotted = dots >= 1 && value[dots] == ' ';
  if (!dotted && key.size() < kShortestBare) return false;
  if (dotted) value = trimmed(value.substr(dots));
  value = without_origin(value);
  if (unended || value.empty()) return true;
  if (value.starts_with('{') && closing_bracket(value, 0) == value.size() - 1) {
    append_leaves(value, key, number, dumped_);
  } else {
    dumped_.push_back({std::string(key), std::string(value.substr(0, kLongestValue)), number});
  }
  return true;
}

// The lines of a file of assignments; the first of another kind ends it.
bool SettingBlocks::take_assignment(std::string_view body, std::int64_t number, bool unended) {
  if (body.starts_with('#') || body.starts_with("import ") || body.starts_with("from ")) return true;
  const std::size_t equals = body.find('=');
  const std::string_view key = trimmed(body.substr(0, equals));
  if (equals == std::string_view::npos || !is_identifier(key)) {
    close();
    return false;
  }
  std::string_view value = trimmed(body.substr(equals + 1));
  const bool quoted = value.starts_with('"') || value.starts_with('\'');
  const std::size_t comment = value.find(" #", quoted ? behind_string(value, 0) : 0);
  value = trimmed(value.substr(0, comment));
  if (unended && comment == std::string_view::npos) return true;
  if (quoted) {
    append_leaves(value, key, number, dumped_);
  } else {
    const PythonValue plain = evaluate_python(value, [](std::string_view) -> const PythonValue* { return nullptr; });
    append_leaves(plain.unknown.empty() ? plain.text : std::string(value), key, number, dumped_);
  }
  return true;
}

bool SettingBlocks::take_literal_line(std::string_view body) {
  if (!goes_on(body, brackets_.innermost())) return false;
  if (text_.size() + body.size() > kMostBytes) {
    close();
    return false;
  }
  if (!brackets_.line(body)) {
    close();
    return false;
  }
  text_ += '\n';
  text_ += body;
  if (brackets_.depth() == 0) close();
  return true;
}

void SettingBlocks::close() {
  if (kind_ == Kind::kLiteral) {
    const std::size_t close = closing_bracket(text_, text_.find_first_of("({"));
    record_literal(std::string_view(text_).substr(0, close == std::string_view::npos ? close : close + 1), path_,
                   first_line_);
  } else if (kind_ == Kind::kDump) {
    // Megatron-LM's own words, or those of a descendant.
    const Vocabulary* words = vocabulary_of(dumped_);
    record_settings(dumped_, recorder_, words != nullptr && words->base == &kMegatronWords ? words : &kMegatronWords);
  } else if (kind_ == Kind::kAssignments) {
    record_settings(dumped_, recorder_, &kNanogptWords);
  }
  kind_ = Kind::kNone;
  text_.clear();
  dumped_.clear();
}

void SettingBlocks::finish() {
  if (!idle()) close();
}

std::string_view without_origin(std::string_view value) {
  for (const std::string_view origin : {"...default", "...updated"}) {
    if (!value.ends_with(origin)) continue;
    value.remove_suffix(origin.size());
    return trimmed(value.substr(0, value.find_last_not_of('.') + 1));
  }
  return value;
}

}  // namespace assay::lines
