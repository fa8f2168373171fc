// A line binds a parameter of a function, `scope/module.function.parameter = value`, or sets a macro, `NAME = value`. A
// value is a Python literal, a macro (%NAME) or a reference to a function (@function), which is never called. Macros
// are looked up when all is read, since gin does so as well. Other files (`include`) are not opened: a macro that none
// of this file's lines sets is not known. %gin.REQUIRED is to be given on the command line.

#include "format/config/gin_config.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "format/config/literal.h"
#include "format/config/python_lines.h"
#include "format/config/vocabulary_tables.h"
#include "format/config/whole_text.h"
#include "format/tables/ledger.h"

namespace assay {

namespace {

constexpr std::size_t kMostMegabytes = 4;
constexpr std::size_t kMostSettings = 5000;
constexpr std::size_t kLongest = 400;
constexpr int kLongestChain = 16;

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '/';
  });
}

class GinConfig final : public StreamReader {
 public:
  explicit GinConfig(Recorder& recorder) : recorder_(recorder) {}

  void feed(std::span<const char> bytes) override { text_.feed(bytes); }

  void finish(bool) override {
    recorder_.file().kind = "gin configuration";
    const std::string& text = text_.end(recorder_);
    for (const LogicalLine& line : logical_lines(text, false)) take(line);
    for (FlatSetting& one : settings_) resolve(one);
    if (!holds_training_settings(settings_, true)) {
      return tell_no_log(recorder_, "binds parameters, but none that is known as a setting of a training");
    }
    recorder_.dialect(kT5xWords.name);  // nobody else configures language models by gin
    record_settings(settings_, recorder_, &kT5xWords);
  }

 private:
  void take(const LogicalLine& line) {
    const std::string_view body = trimmed_code(line.text);
    if (body.starts_with("import ") || body.starts_with("from ") || body.starts_with("include ")) return;
    const bool indented = !line.text.empty() && is_blank_code(line.text[0]);
    if (!indented) block_.clear();
    if (body.ends_with(':') && is_name(body.substr(0, body.size() - 1))) {
      block_ = body.substr(0, body.size() - 1);
      return;
    }
    const std::size_t equals = body.find('=');
    const std::string_view target = trimmed_code(body.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(target)) {
      return recorder_.unused(body, line.line, "no binding");
    }
    std::string path = block_.empty() ? std::string(target) : block_ + "." + std::string(target);
    std::replace(path.begin(), path.end(), '.', '/');
    std::vector<Leaf> leaves;
    flatten_literal(trimmed_code(body.substr(equals + 1)), path, line.line, leaves);
    for (const Leaf& leaf : leaves) {
      if (settings_.size() >= kMostSettings) return;
      std::string text = leaf.text.substr(0, kLongest);
      std::replace(text.begin(), text.end(), '\n', ' ');
      settings_.push_back({leaf.path, std::move(text), leaf.line});
      if (path.find('/') == std::string::npos && leaf.path == path) macros_[path] = settings_.size() - 1;
    }
  }

  void resolve(FlatSetting& one) const {
    const FlatSetting* at = &one;
    for (int i = 0; at->text.starts_with('%') && at->unknown.empty(); ++i) {
      const std::string name = at->text.substr(1);
      const auto found = macros_.find(name);
      if (name == "gin.REQUIRED") {
        one.unknown = "to be given on the command line";
      } else if (i == kLongestChain) {
        one.unknown = "leads through too many references";
      } else if (found == macros_.end()) {
        one.unknown = name + " is not set in this file";
      } else {
        at = &settings_[found->second];
        continue;
      }
      return;
    }
    if (at->text.starts_with('@')) one.unknown = "an object of a program, which is never built";
    if (at != &one && one.unknown.empty()) one.unknown = at->unknown;
    if (one.unknown.empty()) one.text = at->text;
  }

  Recorder& recorder_;
  WholeText text_{kMostMegabytes};
  std::string block_;  // whose parameters the indented lines bind
  std::vector<FlatSetting> settings_;
  std::map<std::string, std::size_t, std::less<>> macros_;
};

}  // namespace

bool is_gin_config(std::string_view path, std::string_view, bool) { return path.ends_with(".gin"); }

std::unique_ptr<StreamReader> open_gin_config(Recorder& recorder) { return std::make_unique<GinConfig>(recorder); }

}  // namespace assay
