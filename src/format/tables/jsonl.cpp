// Reads JSON lines in two steps: the first 64 KiB are looked at to plan the columns (key_plan.h), then they and all
// that follows are recorded.
//
// A line that is no whole object goes into the ledger and the next one goes on. When a job dies in the middle of a line
// and its successor appends, two objects stand in one line, the first cut: the second is found by its `{"` and read.

#include "format/tables/jsonl.h"

#include <fmt/core.h>

#include <cstring>
#include <string>

#include "format/tables/ledger.h"
#include "format/tables/line_cutter.h"
#include "format/tables/number.h"
#include "format/tables/object_rows.h"

namespace assay {

namespace {

using Token = JsonScanner::Token;

constexpr std::size_t kPlanFrom = std::size_t{64} << 10;

class JsonlReader final : public StreamReader {
 public:
  explicit JsonlReader(Recorder& recorder) : recorder_(recorder), rows_(recorder) { recorder.dialect("jsonl"); }

  void feed(std::span<const char> bytes) override {
    cutter_.feed({bytes.data(), bytes.size()}, [this](std::string_view region) { take(region); });
  }

  void finish(bool cut) override {
    const std::string_view rest = cutter_.rest();
    if (!rows_.planned()) {
      observe_line(rest);
      start();
    }
    if (!trimmed(rest).empty()) {
      last_line_is_open_ = true;
      stream_is_cut_ = cut;
      read_line(rest);
    }
    rows_.finish();
    recorder_.file().lines = line_;
  }

 private:
  void take(std::string_view region) {
    while (!region.empty()) {
      const auto* end = static_cast<const char*>(std::memchr(region.data(), '\n', region.size()));
      const auto length = static_cast<std::size_t>(end - region.data()) + 1;
      const std::string_view line = region.substr(0, length);
      region.remove_prefix(length);
      if (rows_.planned()) {
        read_line(line);
        continue;
      }
      observe_line(line);
      waiting_ += line;
      if (waiting_.size() >= kPlanFrom) start();
    }
  }

  void start() {
    // LLaMA-Factory's trainer_log.jsonl: what Hugging Face's trainer logs, with words of its own, and like it with a
    // loss of 0.0 where that was NaN.
    const bool llama_factory = rows_.has_key("current_steps") && rows_.has_key("percentage");
    if (llama_factory) recorder_.dialect("llama-factory");
    rows_.plan(llama_factory ? Quirk::kNanHiddenAsZero : Quirk::kNone);
    if (!rows_.table().is_log()) {
      const bool runs = rows_.table().is_table_of_runs();
      tell_no_log(recorder_, runs ? "is a table of runs, one in each line, and no log of one"
                                  : "holds JSON lines, but none with a metric that is known from training");
      hopeless_ = true;
    }
    const std::string waiting = std::exchange(waiting_, {});
    take(waiting);
  }

  void observe_line(std::string_view line) {
    line = trimmed(line);
    JsonScanner scanner(line);
    if (line.starts_with('{') && scanner.next() == Token::kObject && rows_.read(scanner) == Token::kEndObject)
      rows_.observe();
  }

  void read_line(std::string_view line) {
    ++line_;
    if (hopeless_) return;
    const std::string_view text = trimmed(line);
    if (text.empty()) return;
    if (line.size() > LineCutter::kLongest) return recorder_.unused(text, line_, "a line of more than 1 MiB");
    if (!text.starts_with('{')) return recorder_.unused(text, line_, "no JSON object");
    std::size_t at = 0;
    while (at < text.size()) at = read_object(text, at);
  }

  // Returns where the next object of the line may begin.
  std::size_t read_object(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    JsonScanner scanner(rest, line_);
    scanner.next();
    const Token token = rows_.read(scanner);
    if (token == Token::kEndObject) {
      rows_.record(line_, rest);
      const std::size_t behind = at + scanner.position();
      const std::size_t next = text.find('{', behind);
      const std::string_view between = trimmed(text.substr(behind, next - behind));
      if (!between.empty() && between != ",") recorder_.unused(between, line_, "text behind a JSON object");
      return next == std::string_view::npos ? text.size() : next;
    }
    // The object that follows a broken one may begin inside of what was read as its string.
    const std::size_t next = text.find("{\"", at + 1);
    if (next == std::string_view::npos && token == Token::kCut && last_line_is_open_) {
      if (!stream_is_cut_) recorder_.truncated(line_, "the last JSON object ends in the middle");
      return text.size();
    }
    const std::string why = token == Token::kCut ? "ends in the middle" : scanner.error();
    recorder_.unused(rest, line_, "broken JSON: " + why);
    return next == std::string_view::npos ? text.size() : next;
  }

  Recorder& recorder_;
  LineCutter cutter_;
  ObjectRows rows_;
  std::string waiting_;  // lines that the plan is made from
  std::int64_t line_ = 0;
  bool hopeless_ = false;
  bool last_line_is_open_ = false;
  bool stream_is_cut_ = false;
};

bool judge(ObjectRows& rows, int lines, int objects) {
  if (objects * 2 <= lines) return false;
  return rows.plan().is_log() || rows.table().is_table_of_runs();
}

}  // namespace

bool is_jsonl(std::string_view path, std::string_view prefix, bool whole) {
  constexpr int kEnough = 200;
  Recorder nowhere{std::string(path)};
  ObjectRows rows(nowhere);
  int lines = 0;
  int objects = 0;
  bool several = false;
  const bool named = path.ends_with(".jsonl") || path.ends_with(".ndjson");
  while (!prefix.empty() && lines < kEnough) {
    const std::size_t end = prefix.find('\n');
    const bool open = end == std::string_view::npos;
    // A first line longer than the prefix: a name has to do.
    if (open && !whole) return lines > 0 ? judge(rows, lines, objects) : named && prefix.starts_with("{\"");
    const std::string_view line = trimmed(prefix.substr(0, end));
    prefix.remove_prefix(open ? prefix.size() : end + 1);
    if (line.empty()) continue;
    several = several || lines > 0;
    JsonScanner scanner(line);
    const bool object = line.starts_with('{') && scanner.next() == Token::kObject &&
                        rows.read(scanner) == Token::kEndObject && trimmed(line.substr(scanner.position())).empty();
    const bool meant = object || line.starts_with("{\"");  // broken, but an object all the same
    if (lines == 0 && !meant) return false;
    if (object) rows.observe();
    if (open && !object) break;  // cut: it says nothing against the lines before it
    objects += meant ? 1 : 0;
    ++lines;
  }
  // A single object is a document, unless it is named otherwise.
  return (several || named) && judge(rows, lines, objects);
}

std::unique_ptr<StreamReader> open_jsonl(Recorder& recorder) { return std::make_unique<JsonlReader>(recorder); }

}  // namespace assay
