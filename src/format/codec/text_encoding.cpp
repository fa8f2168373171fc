#include "format/codec/text_encoding.h"

namespace assay {

namespace {

void append_utf8(std::uint32_t code, std::string& out) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

}  // namespace

DetectedEncoding detect_encoding(std::string_view prefix) {
  if (prefix.starts_with("\xef\xbb\xbf")) return {TextEncoding::kUtf8, 3};
  if (prefix.starts_with("\xff\xfe")) return {TextEncoding::kUtf16Little, 2};
  if (prefix.starts_with("\xfe\xff")) return {TextEncoding::kUtf16Big, 2};
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < prefix.size(); ++i) zeros[i & 1] += prefix[i] == 0 ? 1 : 0;
  const std::size_t pairs = prefix.size() / 2;
  const auto nearly_all = [&](std::size_t n) { return pairs >= 8 && n * 10 >= pairs * 9; };
  const auto nearly_none = [&](std::size_t n) { return n * 100 <= pairs; };
  if (nearly_all(zeros[1]) && nearly_none(zeros[0])) return {TextEncoding::kUtf16Little, 0};
  if (nearly_all(zeros[0]) && nearly_none(zeros[1])) return {TextEncoding::kUtf16Big, 0};
  return {};
}

void Utf16Decoder::unit(std::uint32_t value, std::string& out) {
  constexpr std::uint32_t kReplacement = 0xfffd;
  const bool low = value >= 0xdc00 && value <= 0xdfff;
  if (high_ != 0) {
    const std::uint32_t high = high_;
    high_ = 0;
    if (low) return append_utf8(0x10000 + ((high - 0xd800) << 10) + (value - 0xdc00), out);
    append_utf8(kReplacement, out);
  } else if (low) {
    return append_utf8(kReplacement, out);
  }
  if (value >= 0xd800 && value <= 0xdbff) {
    high_ = value;
  } else {
    append_utf8(value, out);
  }
}

void Utf16Decoder::feed(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    const int byte = static_cast<unsigned char>(c);
    if (half_ < 0) {
      half_ = byte;
      continue;
    }
    unit(static_cast<std::uint32_t>(big_endian_ ? half_ << 8 | byte : byte << 8 | half_), out);
    half_ = -1;
  }
}

bool Utf16Decoder::finish(std::string& out) {
  const bool whole = half_ < 0 && high_ == 0;
  if (high_ != 0) append_utf8(0xfffd, out);
  return whole;
}

}  // namespace assay
