#include "format/documents/plain_text.h"

#include <fmt/core.h>
#include <simdjson.h>

#include <algorithm>
#include <span>

#include "base/bytes.h"
#include "format/codec/gbk_lines.h"

namespace assay {

namespace {

constexpr std::size_t kLongestSeen = 8;

class ToString final : public ByteSink {
 public:
  explicit ToString(std::string& out) : out_(out) {}
  void take(std::span<const char> bytes) override { out_.append(bytes.data(), bytes.size()); }

 private:
  std::string& out_;
};

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

}  // namespace

std::string gbk_to_utf8(std::string_view text) {
  std::string out;
  ToString sink(out);
  GbkLines gbk;
  gbk.feed(text, sink);
  gbk.finish(sink);
  if (!gbk.found()) out.clear();
  return out;
}

BadBytes find_bad_bytes(std::string_view text) {
  BadBytes out;
  std::size_t run = 0;  // seen in a row from the first one on
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = utf8_sequence(text.substr(at));
    if (size == 0) {
      if (out.count++ == 0) out.first = at;
      if (at == out.first + run && run < kLongestSeen) {
        out.seen += fmt::format("{}{:02x}", run == 0 ? "" : " ", static_cast<unsigned char>(text[at]));
        ++run;
      }
    }
    at += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::string_view PlainText::read(std::string_view bytes, const Place& place, bool checked) {
  if (checked || is_utf8(bytes)) return bytes;
  converted_ = gbk_to_utf8(bytes);
  if (converted_.empty()) {
    replace(bytes, place);
    return text_;
  }
  sink_.fault({.kind = LineFaultKind::kOtherEncoding,
               .line = place.line,
               .byte = place.byte,
               .length = bytes.size(),
               .lost = false,
               .detail = "GB18030"});
  if (is_utf8(converted_)) return converted_;
  replace(converted_, place);
  return text_;
}

// Where lines of GBK became longer, bytes are counted as they are now.
void PlainText::replace(std::string_view bytes, const Place& place) {
  text_.clear();
  Place here = place;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    replace_line(bytes.substr(at, end - at), here);
    if (!place.rows) {
      ++here.line;
      here.byte += end - at;
    }
    at = end;
  }
}

void PlainText::replace_line(std::string_view line, const Place& place) {
  if (is_utf8(line)) {
    text_ += line;
    return;
  }
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t size = utf8_sequence(line.substr(at));
    text_ += size > 0 ? line.substr(at, size) : "\xef\xbf\xbd";
    at += std::max<std::size_t>(size, 1);
  }
  const BadBytes bad = find_bad_bytes(line);
  sink_.fault({.kind = LineFaultKind::kInvalidUtf8,
               .line = place.line,
               .byte = place.byte,
               .offset = bad.first,
               .length = bad.count,
               .lost = false,
               .detail = bad.seen});
}

}  // namespace assay
