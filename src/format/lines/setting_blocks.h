#pragma once
// Settings that a log prints as one value over one line or many: an argument dump between rules, pretty JSON behind
// `json = {`, `TrainingArguments(` and its fields, `Namespace(lr=0.1, betas=(0.9, 0.95))`, and
// `Model config LlamaConfig {`.
//
// What opens a block is decided by the line alone; what belongs to it, by its shape: lines of other origin between
// (eight at most in a row) are read as if there were no block. Limits: 1 MiB, 8192 lines.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording.h"
#include "format/config/flat_settings.h"
#include "format/config/literal.h"

namespace assay::lines {

class SettingBlocks {
 public:
  explicit SettingBlocks(Recorder& recorder) : recorder_(recorder) {}

  bool idle() const { return kind_ == Kind::kNone; }
  /// A line outside of a block. True: it opened one, or was one of its own.
  bool open(std::string_view line, std::int64_t number);
  /// A line while a block is open. False: it is none of the block's. unended: it may have been cut anywhere.
  bool take(std::string_view line, std::int64_t number, bool unended);
  /// The input has ended: what is whole of an open block is recorded.
  void finish();

 private:
  enum class Kind : std::uint8_t { kNone, kDump, kLiteral, kAssignments, kOtherBanner };

  bool take_dump_line(std::string_view body, std::int64_t number, bool unended);
  bool take_literal_line(std::string_view body);
  bool take_assignment(std::string_view body, std::int64_t number, bool unended);
  bool open_literal(std::string_view body, std::int64_t number);
  bool open_dotted(std::string_view body, std::int64_t number);
  bool begin(Kind kind);
  bool begin(std::string_view value, std::string_view path, std::int64_t number);
  void record_literal(std::string_view text, std::string_view path, std::int64_t number);
  std::string_view behind_prefix(std::string_view line) const;
  void close();

  Recorder& recorder_;
  Kind kind_ = Kind::kNone;
  std::string launcher_;  // what a launcher puts before each line of the block
  bool sure_ = false;     // it is one for certain, so that lines without it are another process's
  int strangers_ = 0;
  int lines_ = 0;
  std::vector<FlatSetting> dumped_;
  std::string text_;
  std::string path_;
  std::int64_t first_line_ = 0;
  BracketDepth brackets_;
};

/// "9.7e-06.....................updated": the value without what GPT-NeoX says of where it is from.
std::string_view without_origin(std::string_view value);

/// Records the leaves of a printed value, in the words of the framework that they tell.
void record_leaves(std::string_view text, std::string_view path, std::int64_t line, Recorder& recorder);

}  // namespace assay::lines
