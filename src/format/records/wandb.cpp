// Reads W&B's run files: blocks (log_blocks.h) hold records, and of those
//   * history is rows: what the same run's history as JSON lines would give (object_rows.h), the names that W&B's own
//     client splits at '/' or '.' joined again. Records of one step are one row;
//   * the configuration is settings;
//   * the console goes through the line engine for what it says beside its numbers, which the history has;
//   * the exit code is how the run ended.
// Summaries repeat the history's last values, and system metrics are no metrics of training.
//
// Columns are planned from the first 64 KiB of history, as those of JSON lines are. Until then everything that has a
// place among the rows waits.

#include "format/records/wandb.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <protozero/exception.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "format/config/vocabulary.h"
#include "format/lines/text_log.h"
#include "format/records/left_out.h"
#include "format/records/log_blocks.h"
#include "format/records/setting_texts.h"
#include "format/records/wandb_decode.h"
#include "format/tables/object_rows.h"

namespace assay {

namespace {

constexpr std::string_view kMagic = ":W&B";
constexpr std::string_view kHeader{":W&B\xe1\xbe\x00", 7};
constexpr std::size_t kPlanFrom = std::size_t{64} << 10;  // bytes of history
constexpr std::size_t kMostWaiting = std::size_t{4} << 20;
constexpr std::size_t kLongestRow = std::size_t{4} << 20;

enum class Left : std::uint8_t { kMedia, kSystemMetrics, kAlert };
constexpr std::array<std::string_view, 3> kWhy{"a histogram, image or table", "system metrics", "an alert"};

// Who ended the program. W&B's client tells 1 for any exception but KeyboardInterrupt, for which it tells 255; shells
// tell 128 and the signal.
std::string how_it_ended(std::int64_t code) {
  constexpr auto kSignals = std::to_array<std::pair<std::int64_t, std::string_view>>(
      {{129, "SIGHUP"}, {130, "SIGINT"}, {137, "SIGKILL"}, {143, "SIGTERM"}});
  if (code == 0) return "the program ended with exit code 0";
  if (code == 255) return "the program was interrupted (KeyboardInterrupt, exit code 255)";
  if (code == 139) return "the program ended with a segmentation fault (exit code 139)";
  if (code == 134) return "the program aborted itself: core dumped (exit code 134)";
  for (const auto& [number, name] : kSignals) {
    if (code == number) return fmt::format("the program was ended by {} (exit code {})", name, code);
  }
  return fmt::format("the program ended with an error (exit code {})", code);
}

// Messages of the console, which stands in pieces that are no lines. Places are records, not lines.
class Console {
 public:
  explicit Console(const std::string& path) : recorder_(path), reader_(open_text_log(recorder_)) {}

  template <class Take>
  void feed(std::string_view text, std::int64_t record, Take&& take) {
    for (const char c : text) {
      if (c == '\n') record_of_line_.push_back(record);
    }
    reader_->feed(text);
    forward(record, take);
  }
  template <class Take>
  void finish(std::int64_t record, Take&& take) {
    reader_->finish(true);
    forward(record, take);
  }

 private:
  template <class Take>
  void forward(std::int64_t record, Take& take) {
    for (; taken_ < recorder_.events().size(); ++taken_) {
      Event event = recorder_.events()[taken_];
      const auto line = static_cast<std::size_t>(std::max<std::int64_t>(event.line, 1) - 1);
      event.line = line < record_of_line_.size() ? record_of_line_[line] : record;
      take(std::move(event));
    }
  }

  Recorder recorder_;
  std::unique_ptr<StreamReader> reader_;
  IntegerColumn record_of_line_;
  std::size_t taken_ = 0;
};

class WandbReader final : public StreamReader, private BlockSink {
 public:
  explicit WandbReader(Recorder& recorder)
      : recorder_(recorder), blocks_(*this), rows_(recorder), console_(recorder.file().path) {
    recorder.count_records();
    recorder.dialect("wandb");
  }

  void feed(std::span<const char> bytes) override {
    for (const char c : bytes.first(std::min(bytes.size(), kHeader.size() - header_.size()))) header_ += c;
    blocks_.feed({bytes.data(), bytes.size()});
  }

  void finish(bool cut) override {
    stream_is_cut_ = cut;
    if (header_.size() == kHeader.size() && header_ != kHeader) {
      tell(0, "the file's header is of another version of the format: it was read as version 0");
    }
    blocks_.finish();
    flush_row();
    if (!rows_.planned()) start();
    console_.finish(record_, [this](Event event) { recorder_.event(std::move(event)); });
    rows_.finish();
    left_.tell(recorder_);
    recorder_.file().lines = record_;
  }

 private:
  // What waits for the plan: bytes of waiting_bytes_.
  struct Waiting {
    WandbContent content;
    std::int64_t record;
    std::size_t from;
    std::size_t size;
    std::int64_t number;  // the step of a row, an exit code
  };

  void record(std::string_view data, std::int64_t byte) override {
    ++record_;
    byte_ = byte;
    try {
      read_wandb_record(data, read_);
      take();
    } catch (const protozero::exception&) {
      recorder_.file().lost_bytes += static_cast<std::int64_t>(data.size());
      tell(byte, fmt::format("the record of {} bytes is no message of W&B: it was left out", data.size()));
    }
  }

  void take() {
    switch (read_.content) {
      case WandbContent::kHistory: return take_history();
      case WandbContent::kRun:
        recorder_.started(read_.started);
        recorder_.run_id(read_.run_id);
        return take_config();
      case WandbContent::kConfig: return take_config();
      case WandbContent::kConsole: return place({WandbContent::kConsole, record_, 0, read_.text.size(), 0}, read_.text);
      case WandbContent::kExit: return place({WandbContent::kExit, record_, 0, 0, read_.exit_code}, {});
      case WandbContent::kSystemMetrics: return leave(Left::kSystemMetrics, "", record_);
      case WandbContent::kAlert: return leave(Left::kAlert, read_.text, record_);
      default: return;
    }
  }

  void take_config() {
    std::vector<FlatSetting> settings;
    for (const WandbItem& item : read_.items) {
      if (item.parts == 0 || item.name[0].starts_with("_wandb")) continue;
      std::string path(item.name[0]);
      for (std::size_t part = 1; part < item.parts; ++part) path.append("/").append(item.name[part]);
      const std::size_t before = settings.size();
      if (!append_json_settings(settings, path, item.json, record_)) settings.resize(before);
    }
    // What is changed later is said in the words of what was said first.
    const Vocabulary* words = vocabulary_of(settings);
    if (words != nullptr) words_ = words;
    if (words != nullptr || words_ == nullptr) return record_settings(settings, recorder_, words_);
    for (const FlatSetting& one : settings) record_setting(one, recorder_, *words_);
  }

  // Messages of one kind behind each other are one message with the fields of both: so a row grows.
  void take_history() {
    const bool same = !row_.empty() && read_.has_step && row_has_step_ && read_.step == row_step_;
    if (same && row_.size() + read_.message.size() <= kLongestRow) {
      row_ += read_.message;
      return;
    }
    flush_row();
    row_ = read_.message;
    row_record_ = record_;
    row_has_step_ = read_.has_step;
    row_step_ = read_.step;
  }

  void flush_row() {
    if (row_.empty()) return;
    std::swap(row_, whole_row_);
    row_.clear();
    place({WandbContent::kHistory, row_record_, 0, whole_row_.size(), row_has_step_ ? row_step_ : kNoStep}, whole_row_);
  }

  // What has its place among the rows: acted upon now, or once there is a plan.
  void place(Waiting one, std::string_view bytes) {
    if (one.content != WandbContent::kHistory) flush_row();
    if (rows_.planned()) return act(one, bytes);
    one.from = waiting_bytes_.size();
    waiting_.push_back(one);
    waiting_bytes_ += bytes;
    if (one.content == WandbContent::kHistory) {
      if (read_row(one, bytes)) rows_.observe();
      observed_ += bytes.size();
    }
    const std::size_t held = waiting_bytes_.size() + waiting_.size() * sizeof(Waiting);
    if (observed_ >= kPlanFrom || held >= kMostWaiting) start();
  }

  void start() {
    rows_.plan();
    const std::string bytes = std::exchange(waiting_bytes_, {});
    for (const Waiting& one : std::exchange(waiting_, {})) act(one, std::string_view(bytes).substr(one.from, one.size));
  }

  void act(const Waiting& one, std::string_view bytes) {
    switch (one.content) {
      case WandbContent::kHistory:
        if (read_row(one, bytes)) rows_.record(one.record, "a record of the history");
        return;
      case WandbContent::kConsole:
        return console_.feed(bytes, one.record, [this](Event event) { recorder_.event(std::move(event)); });
      default: {
        Event event;
        event.kind = one.number == 0 ? EventKind::kRunEnd : EventKind::kAborted;
        event.line = one.record;
        event.text = how_it_ended(one.number);
        recorder_.event(std::move(event));
      }
    }
  }

  // The values of a history record, into rows_. False: there are none.
  bool read_row(const Waiting& one, std::string_view message) {
    items_.clear();
    try {
      read_wandb_items(message, items_);
    } catch (const protozero::exception&) {
      if (!rows_.planned()) return false;  // told when it is read again
      tell(byte_, fmt::format("record {} of the history is broken: what it holds up to there is read", one.record));
    }
    rows_.begin();
    bool has_step = false;
    const bool planned = rows_.planned();
    find_media(one.record, planned);
    for (const WandbItem& item : items_) {
      if (item.parts == 0 || (!media_.empty() && media_.contains(item.name[0]))) continue;
      if (item.json.starts_with('{') && item.json.find("\"_type\"") != std::string_view::npos) {
        if (planned) leave(Left::kMedia, item.name[0], one.record);
        continue;
      }
      has_step = has_step || item.name[0] == "_step";
      std::uint32_t key = ObjectRows::kTop;
      for (std::size_t part = 0; part < item.parts; ++part) {
        key = rows_.key(key, item.name[part]);
        if (key == ObjectRows::kTop) break;
      }
      rows_.add(key, item.json);
    }
    if (has_step || one.number == kNoStep) return !items_.empty();
    step_text_ = fmt::format("{}", one.number);
    rows_.add(rows_.key(ObjectRows::kTop, "_step"), step_text_);
    return true;
  }

  // W&B's media are objects with a "_type", which the newer client takes apart.
  void find_media(std::int64_t record, bool count) {
    for (const WandbItem& item : items_) {
      if (item.parts != 2 || item.name[1] != "_type") continue;
      if (media_.size() < kMostMedia) media_.emplace(item.name[0]);
      if (count) leave(Left::kMedia, item.name[0], record);
    }
  }

  void lost(std::int64_t from, std::int64_t to, std::string_view why) override {
    recorder_.file().lost_bytes += to - from;
    tell(from, fmt::format("{}: {} bytes were passed over", why, to - from));
  }

  void cut(std::int64_t byte) override {
    if (!stream_is_cut_) recorder_.truncated(record_ + 1, "the last record ends in the middle", byte);
  }

  void padded(std::int64_t byte) override {
    if (stream_is_cut_) return;
    recorder_.truncated(record_ + 1, "the file ends in zeros where the next record would stand", byte);
  }

  void tell(std::int64_t byte, std::string message) {
    Error error;
    error.code = ErrorCode::kCorrupt;
    error.message = std::move(message);
    error.where.path = recorder_.file().path;
    error.where.byte = byte;
    error.where.unit = PlaceUnit::kRecord;
    recorder_.problem(std::move(error));
  }

  // Of a row that waited the byte is not known any more.
  void leave(Left kind, std::string_view what, std::int64_t record) {
    left_.count(kind, what, record, record == record_ ? byte_ : -1);
  }

  static constexpr std::size_t kMostMedia = 4096;

  Recorder& recorder_;
  const Vocabulary* words_ = nullptr;  // of the configuration
  LogBlocks blocks_;
  ObjectRows rows_;
  Console console_;
  WandbRecord read_;
  std::vector<WandbItem> items_;
  std::string header_;
  std::int64_t record_ = 0;
  std::int64_t byte_ = 0;
  std::string row_;        // messages of history of one step
  std::string whole_row_;  // the same, while it is read
  std::int64_t row_record_ = 0;
  bool row_has_step_ = false;
  std::int64_t row_step_ = 0;
  std::string step_text_;
  std::set<std::string, std::less<>> media_;  // names whose values are none
  std::vector<Waiting> waiting_;
  std::string waiting_bytes_;
  std::size_t observed_ = 0;
  bool stream_is_cut_ = false;
  LeftOut<Left, kWhy.size()> left_{kWhy};
};

}  // namespace

bool is_wandb(std::string_view, std::string_view prefix, bool) { return prefix.starts_with(kMagic); }

std::unique_ptr<StreamReader> open_wandb(Recorder& recorder) { return std::make_unique<WandbReader>(recorder); }

}  // namespace assay
