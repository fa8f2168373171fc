// Between characters and bytes, forgiving: a text that was decoded with losses has holes, and what lies beside them is
// no fault of the encoding. Of two-byte encodings a lost byte may have been the first of a pair or stood alone; which
// one is told by what follows it.

#include "measure/text/transcode.h"

#include "measure/text/characters.h"
#include "measure/text/likelihood.h"

namespace assay {

namespace {

constexpr unsigned char kLost = 0xff;  // stands for bytes that are gone; no encoding here uses it for text

const SinglePage& single(std::uint8_t encoding) { return single_page(static_cast<SingleByte>(encoding)); }
const DoublePage& pair(std::uint8_t encoding) { return double_page(static_cast<DoubleByte>(encoding - kSinglePages)); }

void put(std::string& out, unsigned byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); }

// Takes bytes apart; counts those that are none of the encoding and lie beside no hole.
struct Decoder {
  std::string_view bytes;
  std::u32string& out;
  std::size_t invalid = 0;
  std::size_t at = 0;

  unsigned byte(std::size_t i) const { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0; }
  void fault() {
    const bool hole =
        byte(at) == kLost || byte(at + 1) == kLost || (at > 0 && byte(at - 1) == kLost) || at + 4 > bytes.size();
    if (!hole) ++invalid;
    if (out.empty() || out.back() != 0xfffd) out.push_back(0xfffd);
    ++at;
  }
  void single_byte(const SinglePage& page) {
    const char16_t code = page.decode(byte(at));
    if (code < 0xa0 || (code >= 0x2500 && code < 0x25a0)) return fault();  // what was text had no boxes
    out.push_back(code);
    ++at;
  }
  // How good a beginning of a character a byte is.
  int fit(const DoublePage& page, std::size_t i) const {
    if (byte(i) < 0x80) return 1;
    const char16_t code = page.decode(byte(i), byte(i + 1));
    if (code == 0) return 0;
    return cost_of(code, {}).nats < 9 ? 2 : 1;
  }
  // A lost byte may have been the first of two: then the next one belongs to it.
  void lost_in_pairs(const DoublePage& page) {
    const bool first = fit(page, at + 1) < fit(page, at + 2);
    fault();
    if (first && at < bytes.size() && byte(at) != kLost) ++at;
  }
  void double_byte(const DoublePage& page) {
    if (const char16_t code = page.decode_single(byte(at)); code != 0) {
      out.push_back(code);
      ++at;
      return;
    }
    const char16_t code = at + 1 < bytes.size() ? page.decode(byte(at), byte(at + 1)) : char16_t{0};
    if (code == 0) return fault();
    out.push_back(code);
    at += 2;
  }
  void utf8() {
    const Character one = character_at(bytes, at);
    if (one.code == 0xfffd && one.bytes == 1) return fault();
    out.push_back(one.code);
    at += one.bytes;
  }
  void utf16(bool swapped) {
    if (at + 1 >= bytes.size()) return fault();
    const char32_t code = swapped ? byte(at + 1) << 8 | byte(at) : byte(at) << 8 | byte(at + 1);
    if (code >= 0xd800 && code < 0xe000) return fault();
    out.push_back(code);
    at += 2;
  }
};

}  // namespace

std::string_view encoding_name(std::uint8_t encoding) {
  if (encoding < kSinglePages) return single(encoding).name;
  if (encoding < kUtf8) return pair(encoding).name;
  return encoding == kUtf8 ? "UTF-8" : encoding == kUtf16 ? "UTF-16BE" : "UTF-16LE";
}

bool encode(std::u32string_view text, std::uint8_t encoding, std::string& out) {
  out.clear();
  const SinglePage& one = single(encoding < kSinglePages ? encoding : 0);
  const DoublePage& two = pair(encoding >= kSinglePages && encoding < kUtf8 ? encoding : kSinglePages);
  for (const char32_t code : text) {
    if (code == 0xfffd) {
      put(out, kLost);
      continue;
    }
    if (encoding >= kUtf16) {
      if (code >= 0xe000) return false;  // private use and beyond: not how two bytes of text fall
      put(out, encoding == kUtf16 ? code >> 8 : code & 0xff);
      put(out, encoding == kUtf16 ? code & 0xff : code >> 8);
      continue;
    }
    if (code < 0x80) {
      put(out, code);
      continue;
    }
    const unsigned bytes = encoding < kSinglePages ? one.encode(code) : two.encode(code);
    if (bytes == 0) return false;
    if (bytes > 0xff) put(out, bytes >> 8);
    put(out, bytes & 0xff);
  }
  return true;
}

bool decode(std::string_view bytes, std::uint8_t encoding, std::u32string& out, std::size_t& invalid) {
  out.clear();
  Decoder decoder{bytes, out};
  const SinglePage& one = single(encoding < kSinglePages ? encoding : 0);
  const DoublePage& two = pair(encoding >= kSinglePages && encoding < kUtf8 ? encoding : kSinglePages);
  while (decoder.at < bytes.size()) {
    const unsigned byte = decoder.byte(decoder.at);
    if (encoding >= kUtf16) {
      decoder.utf16(encoding == kUtf16Swapped);
    } else if (byte < 0x80) {
      out.push_back(byte);
      ++decoder.at;
    } else if (byte == kLost && encoding >= kSinglePages && encoding < kUtf8) {
      decoder.lost_in_pairs(two);
    } else if (byte == kLost) {
      decoder.fault();
    } else if (encoding < kSinglePages) {
      decoder.single_byte(one);
    } else if (encoding < kUtf8) {
      decoder.double_byte(two);
    } else {
      decoder.utf8();
    }
    // Of UTF-8 every second character may be lost: two bytes of a character are read with those of others.
    if (decoder.invalid * (encoding == kUtf8 ? 2 : 10) > out.size() + 8) return false;
  }
  invalid = decoder.invalid;
  return true;
}

}  // namespace assay
