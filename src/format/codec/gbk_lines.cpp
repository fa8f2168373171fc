#include "format/codec/gbk_lines.h"

#include <iconv.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"

namespace assay {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

bool all_ascii(std::string_view text) {
  std::uint64_t high = 0;
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    high |= word;
  }
  for (; i < text.size(); ++i) high |= static_cast<unsigned char>(text[i]);
  return (high & 0x8080'8080'8080'8080) == 0;
}

enum class Letter : std::uint8_t { kIdeograph, kSymbol, kForeign };

// Ideographs; the symbols of GB 2312 that stand between them (full-width forms, arrows, boxes, ×, ℃, α, Ⅱ); all else.
Letter letter(std::uint32_t code) {
  if (code >= 0x4e00 && code <= 0x9fff) return Letter::kIdeograph;
  const bool rare =
      (code >= 0x3400 && code <= 0x4dbf) || (code >= 0x20000 && code <= 0x3ffff);  // extensions A and B on
  if (rare) return Letter::kIdeograph;
  const bool wide = (code >= 0x3000 && code <= 0x30ff) || (code >= 0xff00 && code <= 0xffef);
  const bool sign = (code >= 0x2010 && code <= 0x26ff) || code == 0xd7 || code == 0xf7 || code == 0xb0 ||
                    code == 0xb1 || code == 0xb7 || code == 0xa7 || code == 0xa4 || code == 0xa8;
  const bool greek = (code >= 0x391 && code <= 0x3c9) || (code >= 0x410 && code <= 0x451);
  return wide || sign || greek ? Letter::kSymbol : Letter::kForeign;
}

// Nearly all characters in use are of GB 2312, both of whose bytes are above 0xa0. An accented Latin-1 letter makes a
// pair with the plain one behind it ("élevée").
bool mostly_gb2312(std::string_view gbk) {
  std::size_t common = 0;
  std::size_t other = 0;
  for (std::size_t at = 0; at < gbk.size(); ++at) {
    if (static_cast<unsigned char>(gbk[at]) < 0x80) continue;
    const bool high = at + 1 < gbk.size() && static_cast<unsigned char>(gbk[at + 1]) > 0xa0;
    ++(high ? common : other);
    ++at;
  }
  return common >= 4 * other;
}

bool reads_as_chinese(std::string_view utf8) {
  std::size_t ideographs = 0;
  std::size_t foreign = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t size = utf8_sequence(utf8.substr(at));
    if (size == 0) return false;
    std::uint32_t code = static_cast<unsigned char>(utf8[at]);
    if (size > 1) {
      code &= 0x7fU >> size;
      for (std::size_t k = 1; k < size; ++k) code = code << 6 | (static_cast<unsigned char>(utf8[at + k]) & 0x3fU);
      ideographs += letter(code) == Letter::kIdeograph ? 1 : 0;
      foreign += letter(code) == Letter::kForeign ? 1 : 0;
    }
    at += size;
  }
  return ideographs > 0 && ideographs >= 9 * foreign;
}

}  // namespace

// The C library's tables of GB 18030. Where a system came without them nothing is converted.
class GbkLines::Converter {
 public:
  Converter() : handle_(iconv_open("UTF-8", "GB18030")) {}
  ~Converter() {
    if (good()) iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  /// False: not GB 18030, in whole.
  bool convert(std::string_view text, std::string& out) {
    if (!good()) return false;
    iconv(handle_, nullptr, nullptr, nullptr, nullptr);
    out.resize(text.size() * 2);                  // two bytes become three at most, four become four
    char* from = const_cast<char*>(text.data());  // iconv's signature; it does not write there
    char* to = out.data();
    std::size_t left = text.size();
    std::size_t room = out.size();
    if (iconv(handle_, &from, &left, &to, &room) == static_cast<std::size_t>(-1) || left > 0) return false;
    out.resize(out.size() - room);
    return true;
  }

 private:
  bool good() const { return handle_ != reinterpret_cast<iconv_t>(-1); }
  iconv_t handle_;
};

GbkLines::GbkLines() = default;
GbkLines::~GbkLines() = default;

// Whether converted_ now holds the line.
bool GbkLines::convert(std::string_view line) {
  if (line.size() > kLongestLine || all_ascii(line)) return false;
  if (count_invalid_utf8(line) == 0 || !mostly_gb2312(line)) return false;
  if (!converter_) converter_ = std::make_unique<Converter>();
  if (!converter_->convert(line, converted_) || !reads_as_chinese(converted_)) return false;
  found_ = true;
  return true;
}

// Lines that stay as they are go on together.
void GbkLines::whole_lines(std::string_view text, ByteSink& sink) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (convert(text.substr(at, end - at))) {
      if (at > from) sink.take(text.substr(from, at - from));
      sink.take(converted_);
      from = end;
    }
    at = end;
  }
  if (from < text.size()) sink.take(text.substr(from));
}

// Goes on with the line that is held; returns what stands behind its end.
std::string_view GbkLines::end_line(std::string_view bytes, ByteSink& sink) {
  const std::size_t end = bytes.find('\n');
  const bool ends = end != std::string_view::npos;
  const std::string_view piece = bytes.substr(0, ends ? end + 1 : bytes.size());
  if (!overlong_ && held_.size() + piece.size() > kLongestLine) {
    overlong_ = true;
    if (!held_.empty()) sink.take(held_);
    held_.clear();
  }
  if (overlong_) {
    sink.take(piece);
    overlong_ = !ends;
  } else {
    held_ += piece;
    if (ends) {
      whole_lines(held_, sink);
      held_.clear();
    }
  }
  return bytes.substr(piece.size());
}

void GbkLines::feed(std::string_view bytes, ByteSink& sink) {
  if (!held_.empty() || overlong_) bytes = end_line(bytes, sink);
  const std::size_t end = bytes.rfind('\n');
  if (end != std::string_view::npos) {
    const std::string_view whole = bytes.substr(0, end + 1);
    if (all_ascii(whole)) {
      sink.take(whole);
    } else {
      whole_lines(whole, sink);
    }
    bytes.remove_prefix(end + 1);
  }
  if (!bytes.empty()) end_line(bytes, sink);
}

void GbkLines::finish(ByteSink& sink) {
  if (!held_.empty()) whole_lines(held_, sink);
  held_.clear();
}

}  // namespace assay
