// The tables come from ICU's converters, which carry the mappings of the vendors; what they leave undefined is filled
// as decoders in the wild do it (browsers, Python's "sloppy" codecs): a C1 control for a byte below 0xa0.
//
// Limits: EUC-JP without its three-byte set (JIS X 0212), GB 18030 without its four-byte forms, and no mappings beyond
// the Basic Multilingual Plane: rare ideographs, of which no verdict depends.

#include "measure/text/code_pages.h"

#include <unicode/ucnv.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace assay {

namespace {

// What each item of `bytes` is, one character or nothing (0). An item has `width` bytes and a line feed behind it: no
// code page takes that for the second half of a character, so that a faulty item cannot spoil the next one.
std::vector<char16_t> convert(const char* name, const std::string& bytes, std::size_t width) {
  std::vector<char16_t> out(bytes.size() / (width + 1), 0);
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UConverter, void (*)(UConverter*)> converter(ucnv_open(name, &status), ucnv_close);
  ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_SKIP, nullptr, nullptr, nullptr, &status);
  if (U_FAILURE(status)) return out;
  std::vector<UChar> text(bytes.size() * 2);
  std::vector<std::int32_t> from(bytes.size() * 2);
  const char* source = bytes.data();
  UChar* target = text.data();
  ucnv_toUnicode(converter.get(), &target, text.data() + text.size(), &source, bytes.data() + bytes.size(), from.data(),
                 1, &status);
  const std::size_t count = static_cast<std::size_t>(target - text.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(from[i]);
    const bool whole = at % (width + 1) == 0 && i + 1 < count && text[i + 1] == '\n';
    if (whole && text[i] != 0xfffd && text[i] != 0x1a) out[at / (width + 1)] = text[i];
  }
  return out;
}

void put(std::string& out, unsigned byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); }

struct SingleSource {
  const char* icu;
  std::string_view name;
  bool c1;  // C1 controls stand for bytes of the page
};

constexpr std::array<SingleSource, kSinglePages> kSingles = {{
    {"ibm-5348_P100-1997", "Windows-1252", true},  {"ibm-5346_P100-1998", "Windows-1250", true},
    {"ibm-5347_P100-1998", "Windows-1251", true},  {"ibm-5349_P100-1998", "Windows-1253", true},
    {"ibm-5350_P100-1998", "Windows-1254", true},  {"ibm-9447_P100-2002", "Windows-1255", true},
    {"ibm-9448_X100-2005", "Windows-1256", true},  {"ibm-9449_P100-2002", "Windows-1257", true},
    {"ibm-5354_P100-1998", "Windows-1258", true},  {"macos-0_2-10.2", "Mac Roman", false},
    {"ibm-437_P100-1995", "code page 437", false}, {"ibm-850_P100-1995", "code page 850", false},
    {"ibm-852_P100-1995", "code page 852", false}, {"ibm-866_P100-1995", "code page 866", false},
    {"ibm-878_P100-1996", "KOI8-R", false},        {"ibm-1168_P100-2002", "KOI8-U", false},
    {"ibm-912_P100-1995", "ISO-8859-2", true},     {"ibm-915_P100-1995", "ISO-8859-5", true},
    {"ibm-9005_X110-2007", "ISO-8859-7", true},    {"ibm-920_P100-1995", "ISO-8859-9", true},
    {"ibm-923_P100-1998", "ISO-8859-15", true},    {"macos-7_3-10.2", "Mac Cyrillic", false},
    {"windows-874-2000", "Windows-874", true},
}};

void add_slot(SinglePage& page, char32_t code, unsigned byte) {
  for (unsigned slot = static_cast<unsigned>(code * 0x9e3779b1U) >> 23;; slot = (slot + 1) & 511) {
    if (page.slots[slot].code == code) return;
    if (page.slots[slot].code != 0) continue;
    page.slots[slot] = {static_cast<char16_t>(code), static_cast<std::uint8_t>(byte)};
    return;
  }
}

void fill(SinglePage& page, const SingleSource& source) {
  page.name = source.name;
  std::string bytes;
  for (unsigned byte = 0x80; byte < 0x100; ++byte) {
    put(bytes, byte);
    bytes.push_back('\n');
  }
  const auto codes = convert(source.icu, bytes, 1);
  for (unsigned byte = 0x80; byte < 0x100; ++byte) {
    char16_t code = codes[byte - 0x80];
    const bool none =
        code >= 0xe000 && code < 0xf900 && code != 0xf8ff;  // private use says "nothing", save Apple's apple
    if (none) code = 0;
    if (code == 0 && byte < 0xa0) code = static_cast<char16_t>(byte);
    page.forward[byte - 0x80] = code;
    if (code != 0) add_slot(page, code, byte);
  }
  if (!source.c1) return;
  for (unsigned byte = 0x80; byte < 0xa0; ++byte) add_slot(page, byte, byte);
}

struct DoubleSource {
  const char* icu;
  std::string_view name;
};

constexpr std::array<DoubleSource, kDoublePages> kDoubles = {{{"windows-936-2000", "GBK"},
                                                              {"windows-950-2000", "Big5"},
                                                              {"ibm-943_P15A-2003", "Shift-JIS"},
                                                              {"euc-jp-2007", "EUC-JP"},
                                                              {"windows-949-2000", "EUC-KR"}}};

constexpr unsigned kFirstTrail = 0x40;
constexpr unsigned kTrails = 0xff - kFirstTrail;

void fill_singles(DoublePage& page, const char* icu) {
  std::string bytes;
  for (unsigned byte = 0x80; byte < 0x100; ++byte) {
    put(bytes, byte);
    bytes.push_back('\n');
  }
  const auto codes = convert(icu, bytes, 1);
  for (unsigned byte = 0x80; byte < 0x100; ++byte) {
    const char16_t code = codes[byte - 0x80];
    if (code < 0xa0 || (code >= 0xe000 && code < 0xf900)) continue;
    page.singles[byte - 0x80] = code;
    page.backward[code] = static_cast<std::uint16_t>(byte);
  }
}

void fill(DoublePage& page, const DoubleSource& source) {
  page.name = source.name;
  fill_singles(page, source.icu);
  std::string bytes;
  for (unsigned lead = 0x80; lead < 0x100; ++lead) {
    for (unsigned trail = kFirstTrail; trail < 0xff; ++trail) {
      put(bytes, lead);
      put(bytes, trail);
      bytes.push_back('\n');
    }
  }
  const auto codes = convert(source.icu, bytes, 2);
  for (unsigned lead = 0x80; lead < 0x100; ++lead) {
    if (page.singles[lead - 0x80] != 0) continue;
    for (unsigned trail = kFirstTrail; trail < 0xff; ++trail) {
      const char16_t code = codes[(lead - 0x80) * kTrails + trail - kFirstTrail];
      if (code < 0xa0 || trail == 0x7f) continue;
      page.forward[(lead - 0x80) << 8 | trail] = code;
      if (page.backward[code] == 0) page.backward[code] = static_cast<std::uint16_t>(lead << 8 | trail);
    }
  }
}

}  // namespace

const SinglePage& single_page(SingleByte which) {
  static const auto pages = [] {
    auto out = std::make_unique<std::array<SinglePage, kSinglePages>>();
    for (std::size_t i = 0; i < kSinglePages; ++i) fill((*out)[i], kSingles[i]);
    return out;
  }();
  return (*pages)[static_cast<std::size_t>(which)];
}

const DoublePage& double_page(DoubleByte which) {
  static std::array<std::once_flag, kDoublePages> once;
  static std::array<std::unique_ptr<DoublePage>, kDoublePages> pages;
  const auto at = static_cast<std::size_t>(which);
  std::call_once(once[at], [&] {
    pages[at] = std::make_unique<DoublePage>();
    fill(*pages[at], kDoubles[at]);
  });
  return *pages[at];
}

}  // namespace assay
