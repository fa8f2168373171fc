// Machine code as text: disassembly and dumps, line by line, and code in hexadecimal digits.
//
// A listing is a stretch in which at least `lines` lines have the shape that a printing tool gives them (see
// listing.h), with no more than two others between (function headers, blank lines). Where listings are half of a
// document it is one; a listing within an article explains something and is a note. A run of hexadecimal digits is
// told by its first bytes: contracts of Ethereum, WebAssembly, Java classes, programs.
//
// Reads lines only where the survey has digits, and signs or capitals, for a third of them to be a listing, and words
// only where a run without blanks is long enough.
// Limits: assembly source is code, not a listing; other hexadecimal text belongs to encoded-blob.

#include <algorithm>
#include <memory>
#include <vector>

#include "base/ascii.h"
#include "measure/text/ascii_classes.h"
#include "measure/text/listing.h"
#include "rules/rule.h"

namespace assay {

namespace {

const char* name_of(Listing kind) {
  switch (kind) {
    case Listing::kPython: return "Python";
    case Listing::kJava: return "JVM";
    case Listing::kNet: return ".NET";
    case Listing::kDalvik: return "Dalvik";
    case Listing::kMachine: return "objdump";
    case Listing::kWasm: return "WebAssembly";
    case Listing::kDump: return "hex dump";
    case Listing::kLua: return "Lua";
    case Listing::kEthereum: return "EVM";
    case Listing::kGpu: return "GPU";
    case Listing::kNone: break;
  }
  return "";
}

constexpr bool is_hex(char c) { return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f'); }

// A stretch of lines of one kind.
struct Block {
  Listing kind = Listing::kNone;
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t lines = 0;
};

class BytecodeJudge : public DocumentJudge {
 public:
  explicit BytecodeJudge(const Parameters& set)
      : lines_(static_cast<std::size_t>(set["lines"])),
        share_(set["share"]),
        digits_(static_cast<std::size_t>(set["digits"])) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const TextSurvey& survey = document.survey;
    const std::size_t marks = survey.of(':') + survey.of('_') + survey.of('#') + survey.of('|') + survey.of('[');
    const bool numbered = survey.digits * 3 >= survey.lines && survey.digits * 50 >= survey.characters;
    const bool shaped =
        marks * 3 >= survey.lines || survey.digits * 4 >= survey.letters || survey.capitals * 2 >= survey.letters;
    const bool listed = survey.lines >= lines_ && numbered && shaped;
    if (listed) read_lines(document.text(), out);
    if (survey.longest_word >= digits_) read_hex(document.text(), out);
  }

 private:
  static constexpr std::size_t kMostBlocks = 256;
  static constexpr std::size_t kBetween = 2;  // other lines that do not end a listing

  void read_lines(std::string_view text, DocumentHits& out) {
    blocks_.clear();
    Block open;
    std::size_t others = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const Listing kind = listing_of(text.substr(at, end - at));
      if (kind != Listing::kNone && (kind == open.kind || open.kind == Listing::kNone)) {
        if (open.kind == Listing::kNone) open = {kind, at, end, 0};
        open.to = end;
        ++open.lines;
        others = 0;
      } else if (open.kind != Listing::kNone && ++others > kBetween) {
        keep(open);
        open = {};
        others = 0;
        if (kind != Listing::kNone) open = {kind, at, end, 1};
      }
      at = end + 1;
    }
    keep(open);
    tell(text.size(), out);
  }

  void keep(const Block& block) {
    if (block.lines >= lines_ && blocks_.size() < kMostBlocks) blocks_.push_back(block);
  }

  // The longest first.
  void tell(std::size_t size, DocumentHits& out) {
    std::sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) {
      return a.to - a.from != b.to - b.from ? a.to - a.from > b.to - b.from : a.from < b.from;
    });
    std::size_t listed = 0;
    for (const Block& one : blocks_) listed += one.to - one.from;
    const bool most = static_cast<double>(listed) >= share_ * static_cast<double>(size);
    for (const Block& one : blocks_) {
      out.add({one.from,
               one.to - one.from,
               most ? Severity::kWarning : Severity::kNote,
               most ? 0.9 : 0.5,
               {"listing", {{"lines", one.lines}, {"kind", name_of(one.kind)}}},
               {}});
    }
  }

  void read_hex(std::string_view text, DocumentHits& out) const {
    const std::size_t least = digits_ - 2;  // behind "0x"
    for (ByteRun run = next_run(text, 0, least, is_hex); run.first < text.size();
         run = next_run(text, run.last, least, is_hex)) {
      const std::size_t from = has_prefix(text, run.first) ? run.first - 2 : run.first;
      if (run.last - from < digits_) continue;
      const std::string_view name = bytecode_in_hex(text.substr(from, run.last - from));
      if (!name.empty()) out.add({from, run.last - from, Severity::kWarning, 0.95, {"hex", {{"what", name}}}, {}});
    }
  }

  // Whether the digits at `at` have "0x" before them. From left to right, "0x0x1" is 0x0 and a 1, and "20x1" a 20 and a
  // 1.
  static bool has_prefix(std::string_view text, std::size_t at) {
    std::size_t prefixes = 0;
    for (; at >= 2 && text[at - 2] == '0' && lower(text[at - 1]) == 'x'; at -= 2) {
      if (at >= 3 && is_hex(text[at - 3])) break;
      ++prefixes;
    }
    return prefixes % 2 == 1;
  }

  std::size_t lines_;
  double share_;
  std::size_t digits_;
  std::vector<Block> blocks_;
};

std::unique_ptr<DocumentJudge> make(const Parameters& set) { return std::make_unique<BytecodeJudge>(set); }

}  // namespace

extern const Rule kBytecode;
const Rule kBytecode{
    .name = "bytecode",
    .family = "data",
    .title_en = "machine code as text",
    .title_zh = "以文本形式出现的机器码或字节码",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"lines", "lines", 5, 2, 1000, "a shorter listing is a quotation"},
                   {"share", "of the document", 0.4, 0.01, 1,
                    "an article explains its listings with at least as much text as they have"},
                   {"digits", "hexadecimal digits", 48, 16, 1e6,
                    "a hash or a key is shorter, or does not begin as code does"}},
    .sentences = {{"listing", "{lines} lines of disassembly or dump ({kind})", "{lines} 行反汇编或转储（{kind}）"},
                  {"hex", "{what} in hexadecimal digits", "十六进制形式的 {what}"},
                  {"do", "leave them out, or keep a small share that is labelled as what it is",
                   "删除这些文档，或只保留少量并注明其性质"}},
    .docs =
        {.finds =
             "Disassembly (Python, JVM, .NET, Dalvik, Lua, EVM, WebAssembly, objdump, GPU), hex dumps, and bytecode in "
             "hexadecimal digits.",
         .matters =
             "Columns of offsets and operations repeat without meaning and are predicted by rote; their tokens are "
             "rare elsewhere. Abnormal text of this kind is known to disturb the gradient norm.",
         .decides =
             "At least `lines` lines in the shape that a disassembler or dump tool prints, with at most two others "
             "between: a warning where they are `share` of the document, else a note. A run of at least `digits` "
             "hexadecimal digits that begins as code of a known machine does.",
         .example = "`41 lines of disassembly or dump (Python)`",
         .to_do = "Leave such documents out, or keep a small share that is labelled as what it is.",
         .false_alarms = "Corpora of reverse engineering, where listings are wanted.",
         .references = "CPython's dis, javap, ildasm, dexdump, GNU objdump, wabt, xxd: the formats of their output."},
    .judge_documents = make,
    .harm = {0.6, "regular, so that its loss falls; its tokens are rare elsewhere"}};

}  // namespace assay
