// Bytes written as text: base64, hexadecimal, checksums, denser codes. How they are found: measure/text/blobs.cpp.
//
// A picture in base64 costs thousands of tokens that no model can learn anything from, and each is a surprise: the loss
// of such a batch is high whatever the model knows. A checksum beside a file name is ordinary text. So what counts is
// how long a blob is, and how much of the document such things are: 512 characters (some 300 tokens) in a row, or 30 %
// of the document. Of checksums, which lock files, logs of commits and lists of packages carry beside words, more than
// half. Tables of 0x or quoted numbers in source code are data that someone wants to see: they are told from 60 % on.
// What is less is a note.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "measure/text/ascii_classes.h"
#include "measure/text/blobs.h"
#include "rules/rule.h"

namespace assay {

namespace {

std::string_view sentence_of(BlobKind kind) {
  switch (kind) {
    case BlobKind::kBase64: return "base64";
    case BlobKind::kHash: return "hash";
    case BlobKind::kHex: return "hex";
    case BlobKind::kHexBytes: return "hex-bytes";
    case BlobKind::kDense: return "dense";
    case BlobKind::kVocabulary: return "vocabulary";
  }
  return "base64";
}

class Judge final : public DocumentJudge {
 public:
  explicit Judge(const Parameters& set)
      : long_(set["long"]),
        share_(set["share"]),
        hashes_(set["hashes"]),
        listed_(set["listed"]),
        least_(set["least"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    find_blobs(document.text(), document.survey, found_);
    if (found_.empty()) return;
    const std::string_view text = document.text();
    const double size = static_cast<double>(text.size() - document.survey.blanks);
    double hashes = 0;
    double listed = 0;
    double others = 0;
    double longest = 0;
    for (const Blob& blob : found_) {
      const bool listed_one = is_listed(text, blob);
      const double length = solid_bytes(text, blob);
      (blob.kind == BlobKind::kHash ? hashes : listed_one ? listed : others) += length;
      if (blob.kind != BlobKind::kHash && !listed_one) longest = std::max(longest, length);
    }
    const double all = hashes + listed + others;
    if (all < least_ && all < 0.9 * size) return;
    const bool bad = longest >= long_ || others >= share_ * size || hashes >= hashes_ * size ||
                     others + listed >= listed_ * size || all >= listed_ * size;
    report(text, bad || all >= 0.9 * size, bad && all >= 4 * least_ ? 0.95 : bad ? 0.8 : 0.5, out);
  }

 private:
  // "0x12, 0x34" or quoted: a table in source code.
  static bool is_listed(std::string_view text, const Blob& blob) {
    if (blob.kind != BlobKind::kHexBytes) return false;
    const std::string_view beginning = text.substr(blob.offset > 2 ? blob.offset - 2 : 0, 64);
    return beginning.find("0x") != std::string_view::npos || beginning.find('\'') != std::string_view::npos ||
           beginning.find('"') != std::string_view::npos;
  }

  // The blanks of a dump are as many as its layout wants.
  static double solid_bytes(std::string_view text, const Blob& blob) {
    if (blob.kind != BlobKind::kHexBytes) return static_cast<double>(blob.length);
    const std::string_view all = text.substr(blob.offset, blob.length);
    return static_cast<double>(std::ranges::count_if(all, [](char c) { return !is_ascii(c, kAsciiBlank); }));
  }

  void report(std::string_view text, bool bad, double confidence, DocumentHits& out) {
    const auto longer = [](const Blob& a, const Blob& b) {
      return a.length != b.length ? a.length > b.length : a.offset < b.offset;
    };
    std::sort(found_.begin(), found_.end(), longer);
    for (const Blob& blob : found_) {
      if (out.found().size() == DocumentHits::kMost) {
        out.add({.offset = blob.offset, .length = blob.length});  // only its bytes count
        continue;
      }
      DocumentHit hit{.offset = blob.offset,
                      .length = blob.length,
                      .severity = bad ? Severity::kWarning : Severity::kNote,
                      .confidence = confidence,
                      .reason = {std::string(sentence_of(blob.kind)), {{"bytes", blob.length}}}};
      if (blob.kind == BlobKind::kBase64) {
        const std::string_view content = content_of_base64(text.substr(blob.offset, blob.length));
        if (!content.empty()) hit.reason = {"base64-of", {{"bytes", blob.length}, {"content", content}}};
      }
      out.add(std::move(hit));
    }
  }

  double long_, share_, hashes_, listed_, least_;
  std::vector<Blob> found_;
};

std::unique_ptr<DocumentJudge> judge_documents(const Parameters& set) { return std::make_unique<Judge>(set); }

}  // namespace

extern const Rule kEncodedBlob;
const Rule kEncodedBlob{
    .name = "encoded-blob",
    .family = "data",
    .title_en = "base64, hexadecimal or other encoded bytes in the text",
    .title_zh = "文本中含有 base64、十六进制等编码后的字节",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters =
        {{"long", "bytes", 512, 24, 1e9,
          "some 300 tokens of noise in a row; StarCoder2 drops files from 1,024 on, and a quarter of a training "
          "sequence "
          "of 2,048 tokens is already much"},
         {"share", "of the document", 0.3, 0.01, 1,
          "checksums and keys beside ordinary text stay below 25 %; StarCoder2 asks for 50 % of a file"},
         {"hashes", "of the document", 0.5, 0.01, 1,
          "logs of commits in one line each have up to 46 %, lists of checksums with file names 55 % and more"},
         {"listed", "of the document", 0.6, 0.01, 1,
          "source code with one table of constants has up to 50 %; a file that is nothing but a table has 80 %"},
         {"least", "bytes", 48, 1, 1e9,
          "one checksum, one identifier, one short token are ordinary text, unless there is nothing else"}},
    .sentences =
        {{"base64", "{bytes} bytes of base64 or of another code without words", "{bytes} 字节的 base64 或其他无词编码"},
         {"base64-of", "{bytes} bytes of base64: {content}", "{bytes} 字节的 base64：{content}"},
         {"hash", "a checksum of {bytes} characters", "{bytes} 字符的校验和"},
         {"hex", "{bytes} bytes of hexadecimal digits without a break", "{bytes} 字节连续的十六进制数字"},
         {"hex-bytes", "{bytes} bytes of hexadecimal numbers of one width: a dump or a table",
          "{bytes} 字节等宽的十六进制数：转储或数据表"},
         {"dense", "{bytes} bytes of uuencode, ascii85 or a similar code",
          "{bytes} 字节的 uuencode、ascii85 或类似编码"},
         {"vocabulary", "{bytes} bytes of a tokenizer's vocabulary: words in base64 with their numbers",
          "{bytes} 字节的分词器词表：base64 词与编号"},
         {"do",
          "cut the blobs out, or drop the document when little else is left; their source will give the same again",
          "剪掉编码数据块；若所剩无几则删除文档；同一来源还会产生同样的内容"}},
    .docs =
        {.finds =
             "Bytes in the form of text: base64 (also url-safe, in lines, in parts of a token, base32), hexadecimal "
             "(numbers, dumps, lists), checksums, uuencode and ascii85, vocabularies of tokenizers.",
         .matters =
             "Such text has neither words nor grammar. A tokenizer takes it without a word and cuts it into many rare "
             "tokens; gradients of such batches are large and point nowhere. OLMo 2 found base64 in batches at which "
             "the "
             "grad norm jumped.",
         .decides =
             "Characters of the base64 alphabet in a row, from 24 on, in which small letters, capitals and digits "
             "change "
             "often (0.65 times a character in random base64; at most 0.3 in names, 0.02 in words); hexadecimal "
             "numbers "
             "from 32 digits on; at least 8 hexadecimal numbers of one width; long words that mix letters, digits and "
             "punctuation. A document is abnormal with a blob of `long` bytes, or when blobs are `share` of it "
             "(without "
             "blanks). Checksums count apart (`hashes`), tables of 0x numbers, too (`listed`). What is less is a note; "
             "below `least` bytes nothing is said.",
         .example = "`2,400 bytes of base64: PNG`",
         .to_do =
             "Cut the blob out of the document, or drop the document when little else is left. Look at the source: "
             "notebooks, mails and web pages with embedded pictures give the same again.",
         .false_alarms = "Test vectors in documents about cryptography; lists of checksums that are wanted.",
         .references =
             "Lozhkov et al., StarCoder 2 and The Stack v2, 2024 (encoded data). OLMo et al., 2 OLMo 2 Furious, "
             "2025 (repeated n-grams in batches of spikes). RFC 4648."},
    .judge_documents = judge_documents,
    .harm = {1, "the repeats that OLMo 2 found at jumps of its grad norm were base64"}};

}  // namespace assay
