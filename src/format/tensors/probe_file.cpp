// The text:
//
//   # assay-probe 1            keys of the file: "# key value"; a "#" alone, or with a word, is a remark
//   # device NVIDIA H100
//   [matmul]                   a section: its kind, its keys, one table
//   # input fp16
//   a<TAB>b<TAB>c<TAB>d        the names of its columns
//   3f800000 40000000<TAB>…    a row: in each column patterns of FP32 in hexadecimal, with spaces between them
//
// Numbers of narrower formats are given as the FP32 numbers that they are, so that one notation serves all. A column
// has as many patterns in every row; that, the eight digits and the number of columns are what a cut line breaks, so
// it is never read as a shorter row. A file without section heads that begins with "a b c d" is one section "matmul":
// the form in which results of tensor cores have been published.
//
// Everything has a limit, and nothing is guessed: the first fault ends the reading, with its line and column.

#include "format/tensors/probe_file.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/display.h"
#include "base/file.h"
#include "format/codec/codec.h"

namespace assay {

namespace {

constexpr std::size_t kDigits = 8;
constexpr std::size_t kMostColumns = 16;
constexpr std::size_t kLongestName = 64;
constexpr std::string_view kBlank = " \t\r\f\v";
constexpr std::string_view kForm =
    "the first line of a plain file is a, b, c, d with tabs between them; 'assay help unit check' shows the form";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The text up to `end`, which is taken away with it.
std::string_view take_until(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string quoted(std::string_view text) { return "'" + shortened(text, 40) + "'"; }

}  // namespace

const ProbeColumn* ProbeSection::column(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return one.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::string_view ProbeSection::key(std::string_view name) const {
  const auto found = std::find_if(keys.rbegin(), keys.rend(), [&](const auto& one) { return one.first == name; });
  return found == keys.rend() ? std::string_view() : found->second;
}

ProbeReader::ProbeReader(std::string path, const ProbeLimits& limits) : limits_(limits) {
  file_.path = std::move(path);
}

void ProbeReader::wrong(ErrorCode code, std::string message, std::string hint) {
  if (error_) return;
  Location where;
  where.path = file_.path;
  where.line = line_;
  error_ = std::make_unique<Error>(Error{code, std::move(message), std::move(where), std::move(hint)});
}

bool ProbeReader::feed(std::string_view bytes) {
  while (!error_ && !bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (held_.size() + part.size() > limits_.line) {
      ++line_;
      wrong(ErrorCode::kLimit, "a line is longer than " + std::to_string(limits_.line >> 20) + " MiB");
      break;
    }
    if (end == std::string_view::npos) {
      held_ += part;
      break;
    }
    bytes.remove_prefix(end + 1);
    if (held_.empty()) {
      line(part);
    } else {
      held_ += part;
      line(held_);
      held_.clear();
    }
  }
  return !error_;
}

Result<ProbeFile> ProbeReader::finish() {
  if (!error_ && !held_.empty()) {
    cut_ = true;
    line(held_);
  }
  if (!error_ && file_.sections.empty()) {
    line_ = 0;
    wrong(ErrorCode::kUnrecognised, file_.keys.empty() ? "is empty" : "has no section", std::string(kForm));
  }
  if (!error_ && file_.plain && file_.sections.front().rows() == 0) {
    wrong(ErrorCode::kTruncated, "has a header and no rows");
  }
  if (error_) return std::unexpected(*error_);
  return std::move(file_);
}

void ProbeReader::line(std::string_view text) {
  ++line_;
  if (line_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.ends_with('\r')) text.remove_suffix(1);
  const std::string_view content = trimmed(text);
  if (content.empty()) return;
  if (content.front() == '#') return take_key(content.substr(1));
  if (content.front() == '[') return open_section(content);
  if (file_.sections.empty() || file_.sections.back().columns.empty()) return take_header(text);
  take_row(text);
}

void ProbeReader::take_key(std::string_view text) {
  text = trimmed(text);
  const std::string_view key = take_until(text, ' ');
  const std::string_view value = trimmed(text);
  if (!is_name(key) || value.empty()) return;  // a remark
  if (++keys_ > limits_.keys)
    return wrong(ErrorCode::kLimit, "has more than " + std::to_string(limits_.keys) + " keys");
  ProbeKeys& keys = file_.sections.empty() ? file_.keys : file_.sections.back().keys;
  keys.emplace_back(key, shortened(value, 1000));
}

void ProbeReader::open_section(std::string_view text) {
  const std::string_view kind = text.substr(1, text.find(']') - 1);
  if (!text.ends_with(']') || !is_name(kind)) {
    return wrong(cut_ ? ErrorCode::kTruncated : ErrorCode::kCorrupt,
                 quoted(text) + " is no section head: [matmul] is one");
  }
  if (file_.plain)
    return wrong(ErrorCode::kCorrupt, "a section after a table that belongs to none", std::string(kForm));
  if (file_.sections.size() == limits_.sections) {
    return wrong(ErrorCode::kLimit, "has more than " + std::to_string(limits_.sections) + " sections");
  }
  ProbeSection section;
  section.kind = kind;
  section.line = line_;
  file_.sections.push_back(std::move(section));
}

void ProbeReader::take_header(std::string_view text) {
  std::vector<ProbeColumn> columns;
  while (!text.empty() && columns.size() <= kMostColumns) {
    ProbeColumn column;
    column.name = trimmed(take_until(text, '\t'));
    const bool twice =
        std::any_of(columns.begin(), columns.end(), [&](const auto& one) { return one.name == column.name; });
    if (!is_name(column.name) || twice) {
      const ErrorCode code = file_.sections.empty() ? ErrorCode::kUnrecognised : ErrorCode::kCorrupt;
      return wrong(code,
                   "column " + std::to_string(columns.size() + 1) + ": " + quoted(column.name) +
                       (twice ? " is there twice" : " is no column's name"),
                   std::string(kForm));
    }
    columns.push_back(std::move(column));
  }
  if (columns.size() > kMostColumns) {
    return wrong(ErrorCode::kLimit, "a table has more than " + std::to_string(kMostColumns) + " columns");
  }
  if (file_.sections.empty()) {
    std::string names;
    for (const ProbeColumn& column : columns) names += column.name;
    if (names != "abcd") {
      return wrong(ErrorCode::kUnrecognised, "is no table of dot products: its columns are not a, b, c, d",
                   std::string(kForm));
    }
    file_.plain = true;
    ProbeSection section;
    section.kind = "matmul";
    section.line = line_;
    file_.sections.push_back(std::move(section));
  }
  file_.sections.back().columns = std::move(columns);
}

void ProbeReader::take_row(std::string_view text) {
  ProbeSection& section = file_.sections.back();
  const auto cells = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\t')) + 1;
  if (cells != section.columns.size()) {
    return wrong(cut_ ? ErrorCode::kTruncated : ErrorCode::kCorrupt,
                 "has " + std::to_string(cells) + (cells == 1 ? " column" : " columns") + ", the header " +
                     std::to_string(section.columns.size()),
                 cut_ ? "the last line does not end: the file is cut" : "");
  }
  const bool first = section.lines.empty();
  std::size_t number = 0;
  for (ProbeColumn& column : section.columns) {
    if (!take_cell(take_until(text, '\t'), column, ++number, first)) return;
  }
  section.lines.push_back(line_);
}

bool ProbeReader::take_cell(std::string_view text, ProbeColumn& column, std::size_t number, bool first) {
  const std::string place = "column " + std::to_string(number) + " (" + column.name + ")";
  const ErrorCode broken = cut_ ? ErrorCode::kTruncated : ErrorCode::kCorrupt;
  std::size_t count = 0;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    std::string_view word = take_until(text, ' ');
    const std::string_view written = word;
    if (word.starts_with("0x")) word.remove_prefix(2);
    std::uint32_t pattern = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), pattern, 16);
    ++count;
    if (word.size() != kDigits || error != std::errc() || end != word.data() + word.size()) {
      wrong(broken, place + ", number " + std::to_string(count) + ": " + quoted(written) +
                        " is no FP32 pattern of 8 hexadecimal digits");
      return false;
    }
    if (count > limits_.width || ++patterns_ > limits_.patterns) {
      wrong(ErrorCode::kLimit, count > limits_.width
                                   ? place + " has more than " + std::to_string(limits_.width) + " numbers"
                                   : "has more than " + std::to_string(limits_.patterns) + " numbers");
      return false;
    }
    column.patterns.push_back(pattern);
  }
  if (first) column.width = count;
  if (count == 0 || count != column.width) {
    wrong(broken, place + " has " + std::to_string(count) + (count == 1 ? " number" : " numbers") +
                      (count == 0 ? "" : ", the first row " + std::to_string(column.width)));
    return false;
  }
  return true;
}

namespace {

class ToProbe final : public ByteSink {
 public:
  explicit ToProbe(ProbeReader& reader) : reader_(reader) {}
  void take(std::span<const char> bytes) override { reader_.feed({bytes.data(), bytes.size()}); }

 private:
  ProbeReader& reader_;
};

}  // namespace

Result<ProbeFile> read_probe_file(const std::string& path, const ProbeLimits& limits) {
  InputFile input = ASSAY_TRY(InputFile::open(path));
  if (input.kind() == InputFile::Kind::kDirectory) {
    Location where;
    where.path = path;
    return fail(ErrorCode::kUsage, "is a directory, not a file of results", std::move(where));
  }
  ProbeReader reader(path, limits);
  ToProbe sink(reader);
  std::unique_ptr<Decoder> decoder;
  std::vector<char> buffer(std::size_t{1} << 20);
  bool first = true;
  bool good = true;
  for (bool more = true; more && good; first = false) {
    const std::size_t count = ASSAY_TRY(input.read(buffer));
    const std::span<const char> bytes(buffer.data(), count);
    more = count == buffer.size();
    if (first) {
      const Codec codec = codec_of({bytes.data(), bytes.size()});
      if (codec != Codec::kNone) decoder = open_decoder(codec);
    }
    if (!decoder) {
      good = reader.feed({bytes.data(), bytes.size()});
    } else if (!decoder->feed(bytes, sink) || (!more && !decoder->finish())) {
      Error error = *decoder->error();
      error.where.path = path;
      return std::unexpected(std::move(error));
    }
  }
  return reader.finish();
}

}  // namespace assay
