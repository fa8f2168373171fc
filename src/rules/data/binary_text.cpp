// Binary files that were decoded as text: pictures, archives, programs, whole or as a stretch between prose.
//
// What a decoder leaves of random bytes has control characters in a density that no text has: of 256 values 29 are C0
// controls that text does not use, so a tenth of the characters, whichever one-byte encoding was assumed; with UTF-8
// and replacement the rest is U+FFFD, with UTF-8 and errors ignored two characters in nine are controls. The stretch is
// found as the segment with the greatest sum of points (Kadane's algorithm): a control counts for, an ordinary letter
// against, with weights that put the break-even at about one control in eight ordinary characters. One pass, no memory.
//
// A file's first bytes often survive: then the document is told as what it is, and few controls are enough.
// Reads nothing unless the survey counted control characters (or a name of a format stands at the beginning).
// Limits: formats that are text to the eye (PostScript, RTF, uuencode) belong to other rules.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "measure/text/characters.h"
#include "rules/rule.h"

namespace assay {

namespace {

// How formats begin, as far as their first bytes are ASCII: what is above was decoded in one way or another.
struct Magic {
  std::string_view at;  // bytes of the text from the first one on; U+FFFD and letters of Latin-1 may stand before it
  std::string_view name;
  bool is_text;  // the whole file is one, whatever controls it has
};

constexpr std::array<Magic, 22> kMagics = {{{"\x7f"
                                             "ELF",
                                             "ELF program", false},
                                            {"PNG\r\n\x1a\n", "PNG picture", false},
                                            {"PNG\n\x1a\n", "PNG picture", false},
                                            {"GIF89a", "GIF picture", false},
                                            {"GIF87a", "GIF picture", false},
                                            {"JFIF", "JPEG picture", false},
                                            {"Exif", "JPEG picture", false},
                                            {"%PDF-", "PDF file", true},
                                            {"PK\x03\x04", "ZIP archive", false},
                                            {"PK\x05\x06", "ZIP archive", false},
                                            {"MZ", "Windows program", false},
                                            {"SQLite format 3", "SQLite database", false},
                                            {"RIFF", "RIFF file", false},
                                            {"OggS", "Ogg file", false},
                                            {"ID3", "MP3 file", false},
                                            {"BZh", "bzip2 archive", false},
                                            {"Rar!", "RAR archive", false},
                                            {"7z", "7z archive", false},
                                            {"wOF", "web font", false},
                                            {"\x1f\x08", "gzip archive", false},
                                            {"!<arch>", "static library", false},
                                            {"\x93NUMPY", "NumPy array", false}}};

constexpr std::size_t kFirst = 16;  // bytes within which a format's name begins

// Letters of ASCII before a name say that it is a word of a sentence.
std::optional<Magic> magic_of(std::string_view text) {
  const std::string_view head = text.substr(0, kFirst);
  for (const Magic& one : kMagics) {
    const std::size_t at = head.find(one.at);
    if (at == std::string_view::npos || (one.is_text && at > 3)) continue;
    const bool begins = std::all_of(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(at), [](char c) {
      return static_cast<unsigned char>(c) >= 0x80 || static_cast<unsigned char>(c) < 0x20;
    });
    if (begins) return one;
  }
  return std::nullopt;
}

struct Segment {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t controls = 0;  // C0 and DEL
  std::size_t strange = 0;   // all that counts for it
};

// Points of a character: what binary data leaves against what text is made of.
int points(char32_t code, CharacterKind kind) {
  switch (kind) {
    case CharacterKind::kControl: return code < 0x80 ? 8 : 6;
    case CharacterKind::kReplacement: return 4;
    case CharacterKind::kNonCharacter:
    case CharacterKind::kPrivate:
    case CharacterKind::kUnassigned: return 5;
    case CharacterKind::kSpace: return -1;
    default: break;
  }
  if (code < 0x80) return -1;
  return code < 0x100 || kind == CharacterKind::kSymbol || kind == CharacterKind::kBox ? 0 : -2;
}

class BinaryJudge : public DocumentJudge {
 public:
  explicit BinaryJudge(const Parameters& set)
      : controls_(static_cast<std::size_t>(set["controls"])), share_(set["share"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const std::string_view text = document.text();
    const TextSurvey& survey = document.survey;
    const std::uint32_t controls = survey.controls + survey.of('\x7f') - survey.of('\f');
    const bool says_pdf = text.starts_with("%PDF-") && text.find(" obj") != std::string_view::npos;
    if (controls == 0 && !says_pdf) return;
    const auto magic = magic_of(text);
    if (magic && magic->is_text && says_pdf) {
      out.add({0, text.size(), Severity::kWarning, 0.9, {"format", {{"format", magic->name}}}, {}});
      return;
    }
    if (controls < controls_ && !magic) return;
    read(text, magic, out);
  }

 private:
  // Segments from left to right: one ends where its sum has fallen kDrop below its greatest, and begins anew.
  void read(std::string_view text, const std::optional<Magic>& magic, DocumentHits& out) const {
    constexpr int kDrop = 64;
    Segment open;
    Segment best;
    int sum = 0;
    int most = 0;
    for (std::size_t at = 0; at < text.size();) {
      const Character one = character_at(text, at);
      const CharacterKind kind = kind_of(one.code);
      const int point = points(one.code, kind);
      if (sum <= 0 && point > 0) {
        open = {at, at, 0, 0};
        sum = most = 0;
      }
      at += one.bytes;
      sum += point;
      if (point > 0) {
        ++open.strange;
        open.controls += kind == CharacterKind::kControl && one.code < 0x80 ? 1U : 0U;
        open.to = at;
        if (sum > most) {
          most = sum;
          best = open;
        }
      }
      if (most > 0 && (sum < most - kDrop || sum <= 0)) {
        tell(best, magic, text, out);
        best = {};
        sum = most = 0;
      }
    }
    if (most > 0) tell(best, magic, text, out);
  }

  void tell(const Segment& one, const std::optional<Magic>& magic, std::string_view text, DocumentHits& out) const {
    const bool named = magic && one.from < 64;
    if (one.controls < (named ? 3 : controls_)) return;
    std::size_t characters = 0;
    for (std::size_t at = one.from; at < one.to; at += character_at(text, at).bytes) ++characters;
    const double share = static_cast<double>(one.strange) / static_cast<double>(characters);
    if (share < share_ && !named) return;
    const std::size_t from = named ? 0 : one.from;
    const double confidence = named || share > 0.2 ? 0.95 : 0.8;
    if (named) {
      out.add({from, one.to - from, Severity::kWarning, confidence, {"format", {{"format", magic->name}}}, {}});
    } else {
      out.add({from,
               one.to - from,
               Severity::kWarning,
               confidence,
               {"binary", {{"share", Value(100 * share, Unit::kPercent)}}},
               {}});
    }
  }

  std::size_t controls_;
  double share_;
};

std::unique_ptr<DocumentJudge> make(const Parameters& set) { return std::make_unique<BinaryJudge>(set); }

}  // namespace

extern const Rule kBinaryText;
const Rule kBinaryText{
    .name = "binary-text",
    .family = "data",
    .title_en = "binary data that was decoded as text",
    .title_zh = "被当作文本解码的二进制数据",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters =
        {{"controls", "characters", 6, 1, 1e6,
          "control characters within one stretch; fewer are judged by the rule control-characters"},
         {"share", "of the stretch", 0.12, 0.02, 1,
          "random bytes leave 0.1 (any one-byte encoding) to 0.22 (UTF-8, errors ignored) C0 controls, and C1 "
          "or U+FFFD besides; text leaves none"}},
    .sentences =
        {{"format", "{format}, decoded as text", "{format} 被当作文本解码"},
         {"binary",
          "binary data, decoded as text: {share} of the characters are controls, U+FFFD or no characters at all",
          "二进制数据被当作文本解码：{share} 的字符是控制字符、U+FFFD 或非字符"},
         {"do", "leave them out, and choose what to read by the type of a file, not by its name",
          "删除这些文档，并按文件类型而不是文件名决定读取哪些文件"}},
    .docs = {.finds =
                 "Documents, and stretches of documents, that are the bytes of a program, a picture or an archive.",
             .matters =
                 "There is nothing to learn from them; each costs many rare tokens, and batches of them have been seen "
                 "at the place of grad-norm spikes.",
             .decides = "The stretch with the greatest sum of points, where control characters, U+FFFD, private and "
                        "unassigned characters count for it and ordinary ones against; it has `controls` control "
                        "characters and `share` of its characters are strange. A document that begins like a file of a "
                        "known format needs three control characters; a PDF file none.",
             .example = "`a PNG picture, decoded as text`",
             .to_do = "Leave them out, and read by the type of a file, not by its name.",
             .false_alarms = "None known; captured terminal sessions have fewer control characters.",
             .references = "BigScience and StarCoder both filtered binary residue from their corpora."},
    .judge_documents = make,
    .harm = {1, "no byte of it is text, and its tokens are the rarest there are"}};

}  // namespace assay
