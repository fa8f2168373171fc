// Characters by script.
//
// What: each character belongs to the script of its Unicode block; digits, punctuation, blanks, symbols and combining
// marks that several scripts share belong to none (kCommon).
//
// Why blocks and not the property Script: every block begins at a multiple of 16, so the whole of the basic plane is a
// table of 4,096 bytes that stays in the nearest cache. What a block has besides letters of its script (the Arabic
// comma, the Thai baht sign) counts for it; that is no mistake in a share of text.
//
// How: what is ASCII follows from the survey, and so do characters whose lead byte is that of one script alone, as
// those of Cyrillic, Greek, Arabic, of most ideographs and of most of Hangul are. Only the others are taken apart, and
// next_shared_lead passes over what lies between them. One lead byte of ideographs, that of a fifth of Chinese text, is
// also that of the 64 hexagrams of the Book of Changes: those are looked for by themselves, and taken off.
//
// Source: Blocks.txt of Unicode 15. Limits: Latin letters in fullwidth forms are common; the letters of Coptic that
// stand in the Greek block are Greek.

#include "measure/text/script.h"

#include <algorithm>
#include <iterator>

#include "measure/text/characters.h"
#include "measure/text/find_word.h"
#include "measure/text/next_odd.h"

namespace assay {

namespace {

struct BlockRange {
  char32_t first, last;  // both in it; first a multiple of 16, last one less than such
  Script script;
};

constexpr BlockRange kBlocks[] = {
    {0x0000, 0x003f, Script::kCommon},     {0x0040, 0x007f, Script::kLatin},    {0x0080, 0x00bf, Script::kCommon},
    {0x00c0, 0x02af, Script::kLatin},      {0x02b0, 0x036f, Script::kCommon},   {0x0370, 0x03ff, Script::kGreek},
    {0x0400, 0x052f, Script::kCyrillic},   {0x0530, 0x058f, Script::kArmenian}, {0x0590, 0x05ff, Script::kHebrew},
    {0x0600, 0x06ff, Script::kArabic},     {0x0750, 0x077f, Script::kArabic},   {0x0860, 0x08ff, Script::kArabic},
    {0x0900, 0x097f, Script::kDevanagari}, {0x0980, 0x09ff, Script::kBengali},  {0x0a00, 0x0a7f, Script::kGurmukhi},
    {0x0a80, 0x0aff, Script::kGujarati},   {0x0b00, 0x0b7f, Script::kOdia},     {0x0b80, 0x0bff, Script::kTamil},
    {0x0c00, 0x0c7f, Script::kTelugu},     {0x0c80, 0x0cff, Script::kKannada},  {0x0d00, 0x0d7f, Script::kMalayalam},
    {0x0d80, 0x0dff, Script::kSinhala},    {0x0e00, 0x0e7f, Script::kThai},     {0x0e80, 0x0eff, Script::kLao},
    {0x0f00, 0x0fff, Script::kTibetan},    {0x1000, 0x109f, Script::kMyanmar},  {0x10a0, 0x10ff, Script::kGeorgian},
    {0x1100, 0x11ff, Script::kHangul},     {0x1200, 0x139f, Script::kEthiopic}, {0x1780, 0x17ff, Script::kKhmer},
    {0x1800, 0x18af, Script::kMongolian},  {0x19e0, 0x19ff, Script::kKhmer},    {0x1ab0, 0x1aff, Script::kCommon},
    {0x1c80, 0x1c8f, Script::kCyrillic},   {0x1c90, 0x1cbf, Script::kGeorgian}, {0x1cd0, 0x1cff, Script::kDevanagari},
    {0x1d00, 0x1dbf, Script::kLatin},      {0x1dc0, 0x1dff, Script::kCommon},   {0x1e00, 0x1eff, Script::kLatin},
    {0x1f00, 0x1fff, Script::kGreek},      {0x2000, 0x2bff, Script::kCommon},   {0x2c60, 0x2c7f, Script::kLatin},
    {0x2d00, 0x2d2f, Script::kGeorgian},   {0x2d80, 0x2ddf, Script::kEthiopic}, {0x2de0, 0x2dff, Script::kCyrillic},
    {0x2e00, 0x2e7f, Script::kCommon},     {0x2e80, 0x2fdf, Script::kHan},      {0x2fe0, 0x303f, Script::kCommon},
    {0x3040, 0x30ff, Script::kKana},       {0x3130, 0x318f, Script::kHangul},   {0x3190, 0x319f, Script::kCommon},
    {0x31c0, 0x31ef, Script::kHan},        {0x31f0, 0x31ff, Script::kKana},     {0x3200, 0x33ff, Script::kCommon},
    {0x3400, 0x4dbf, Script::kHan},        {0x4dc0, 0x4dff, Script::kCommon},   {0x4e00, 0x9fff, Script::kHan},
    {0xa640, 0xa69f, Script::kCyrillic},   {0xa700, 0xa71f, Script::kCommon},   {0xa720, 0xa7ff, Script::kLatin},
    {0xa8e0, 0xa8ff, Script::kDevanagari}, {0xa960, 0xa97f, Script::kHangul},   {0xa9e0, 0xa9ff, Script::kMyanmar},
    {0xaa60, 0xaa7f, Script::kMyanmar},    {0xab00, 0xab2f, Script::kEthiopic}, {0xab30, 0xab6f, Script::kLatin},
    {0xac00, 0xd7ff, Script::kHangul},     {0xd800, 0xf8ff, Script::kCommon},   {0xf900, 0xfaff, Script::kHan},
    {0xfb00, 0xfb0f, Script::kLatin},      {0xfb10, 0xfb1f, Script::kArmenian}, {0xfb20, 0xfb4f, Script::kHebrew},
    {0xfb50, 0xfdff, Script::kArabic},     {0xfe00, 0xfe6f, Script::kCommon},   {0xfe70, 0xfeff, Script::kArabic},
    {0xff00, 0xff5f, Script::kCommon},     {0xff60, 0xff9f, Script::kKana},     {0xffa0, 0xffdf, Script::kHangul},
    {0xffe0, 0xffff, Script::kCommon},
};

constexpr std::size_t kRows = 0x10000 / 16;
constexpr std::size_t kHexagrams = 0x4dc0 / 16;  // four rows, E4 B7 80 to E4 B7 BF

constexpr auto kByRow = [] {
  std::array<Script, kRows> out{};
  out.fill(Script::kOther);
  for (const BlockRange& block : kBlocks) {
    for (std::size_t row = block.first / 16; row <= block.last / 16; ++row) out[row] = block.script;
  }
  return out;
}();

// Of the lead bytes that are of one script alone; kOther: the characters of this one are looked at.
constexpr auto kByLead = [] {
  std::array<Script, 256> out{};
  out.fill(Script::kOther);
  for (std::size_t lead = 0xc2; lead < 0xf0; ++lead) {
    const std::size_t rows = lead < 0xe0 ? 4 : 256;
    const std::size_t first = lead < 0xe0 ? 4 * (lead & 0x1f) : 256 * (lead & 0xf);
    bool alone = true;
    for (std::size_t row = first; row < first + rows; ++row)
      alone = alone && (kByRow[row] == kByRow[first] || row / 4 == kHexagrams / 4);
    if (alone && !has_shared_lead(static_cast<unsigned char>(lead))) out[lead] = kByRow[first];
  }
  return out;
}();
static_assert([] {
  for (std::size_t lead = 0xc2; lead < 0xf0; ++lead) {
    if (!has_shared_lead(static_cast<unsigned char>(lead)) && kByLead[lead] == Script::kOther) return false;
  }
  return true;
}());

struct ScriptName {
  std::string_view key, en, zh;
};

constexpr ScriptName kNames[kScripts] = {
    {"common", "none (digits, punctuation, symbols)", "无（数字、标点、符号）"},
    {"latin", "Latin", "拉丁字母"},
    {"cyrillic", "Cyrillic", "西里尔字母"},
    {"greek", "Greek", "希腊字母"},
    {"armenian", "Armenian", "亚美尼亚字母"},
    {"georgian", "Georgian", "格鲁吉亚字母"},
    {"hebrew", "Hebrew", "希伯来字母"},
    {"arabic", "Arabic", "阿拉伯字母"},
    {"devanagari", "Devanagari", "天城文"},
    {"bengali", "Bengali", "孟加拉文"},
    {"gurmukhi", "Gurmukhi", "果鲁穆奇文"},
    {"gujarati", "Gujarati", "古吉拉特文"},
    {"odia", "Odia", "奥里亚文"},
    {"tamil", "Tamil", "泰米尔文"},
    {"telugu", "Telugu", "泰卢固文"},
    {"kannada", "Kannada", "卡纳达文"},
    {"malayalam", "Malayalam", "马拉雅拉姆文"},
    {"sinhala", "Sinhala", "僧伽罗文"},
    {"thai", "Thai", "泰文"},
    {"lao", "Lao", "老挝文"},
    {"tibetan", "Tibetan", "藏文"},
    {"myanmar", "Myanmar", "缅文"},
    {"khmer", "Khmer", "高棉文"},
    {"mongolian", "Mongolian", "蒙古文"},
    {"ethiopic", "Ethiopic", "埃塞俄比亚文"},
    {"han", "Han", "汉字"},
    {"kana", "Kana", "假名"},
    {"hangul", "Hangul", "谚文"},
    {"other", "other", "其他"},
};

// Kana among as many ideographs make Japanese: newspapers have about one kana for each ideograph, and titles with one
// for nine are still Japanese, while Chinese text has kana in names and quotations only.
constexpr std::uint64_t kHanPerKana = 9;

}  // namespace

std::string_view key_of(Script script) { return kNames[static_cast<std::size_t>(script)].key; }

Text name_of(Script script) {
  const ScriptName& name = kNames[static_cast<std::size_t>(script)];
  return {std::string(name.en), std::string(name.zh)};
}

Script script_of(char32_t code) {
  if (code < 0x80) {
    const char32_t lower = code | 0x20;
    return lower >= 'a' && lower <= 'z' ? Script::kLatin : Script::kCommon;
  }
  if (code < 0x10000) return code == 0xd7 || code == 0xf7 ? Script::kCommon : kByRow[code >> 4];
  if (code >= 0x20000 && code < 0x40000) return Script::kHan;
  if (code >= 0x1b000 && code < 0x1b170) return Script::kKana;
  // Emoji, mathematical alphabets, music, tags, private use.
  const bool common = (code >= 0x1d000 && code < 0x1d800) || (code >= 0x1f000 && code < 0x20000) || code >= 0xe0000;
  return common ? Script::kCommon : Script::kOther;
}

void count_scripts(std::string_view text, const TextSurvey& survey, ScriptCounts& out) {
  out = {};
  std::uint64_t shared = 0;
  for (std::size_t lead = survey.high > 0 ? 0xc2 : 0x100; lead < 0x100; ++lead) {
    const std::uint64_t count = survey.bytes[lead];
    if (kByLead[lead] == Script::kOther) {
      shared += count;
    } else {
      const auto script = static_cast<std::size_t>(kByLead[lead]);
      out.characters[script] += count;
      out.bytes[script] += count * (lead < 0xe0 ? 2 : 3);
    }
  }
  if (survey.of('\xe4') > 0 && survey.of('\xb7') > 0) {
    for (std::size_t at = 0; (at = find_pair(text, '\xe4', '\xb7', at)) != std::string_view::npos; at += 3) {
      const auto han = static_cast<std::size_t>(kByLead[0xe4]);
      const auto script = static_cast<std::size_t>(kByRow[kHexagrams]);
      --out.characters[han];
      out.bytes[han] -= 3;
      ++out.characters[script];
      out.bytes[script] += 3;
    }
  }
  for (std::size_t at = shared > 0 ? next_shared_lead(text, 0) : text.size(); at < text.size();) {
    const Character one = character_at(text, at);
    const auto script = static_cast<std::size_t>(script_of(one.code));
    ++out.characters[script];
    out.bytes[script] += one.bytes;
    at += one.bytes;
    if (at < text.size() && !has_shared_lead(static_cast<unsigned char>(text[at]))) at = next_shared_lead(text, at);
  }
  const auto latin = static_cast<std::size_t>(Script::kLatin);
  const std::uint64_t ascii = text.size() - survey.high;
  out.characters[latin] += survey.letters;
  out.bytes[latin] += survey.letters;
  out.characters[0] += ascii - survey.letters;
  out.bytes[0] += ascii - survey.letters;
}

Script main_script(const ScriptCounts& counts) {
  const auto most = std::max_element(counts.characters.begin() + 1, counts.characters.end());
  if (*most == 0) return Script::kCommon;
  const auto script = static_cast<Script>(std::distance(counts.characters.begin(), most));
  const bool japanese = script == Script::kHan && counts.of(Script::kKana) * kHanPerKana >= counts.of(Script::kHan);
  return japanese ? Script::kKana : script;
}

}  // namespace assay
