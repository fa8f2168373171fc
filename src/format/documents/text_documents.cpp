// What a document of a plain text is, no file tells. Up to 8 MiB a file is one: a page, an article, a book, a source
// file. What is longer is a corpus that somebody wrote into one file, and where its documents begin is not known:
// it is read in groups of whole paragraphs (a paragraph ends at a blank line) of 64 KiB or a little more, so that
// findings have a place and a share. Who knows better says so: by file, by paragraph, by line. A paragraph that is
// longer than a document may be is cut into several.
//
// Blocks are cut while reading, by the bytes alone. A block of paragraphs ends where the first one begins behind its
// full size; groups, and files, are documents already, and a block says where each ends.

#include "format/documents/text_documents.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "format/documents/byte_scan.h"
#include "format/documents/line_blocks.h"
#include "format/documents/plain_text.h"

namespace assay {

namespace {

constexpr std::size_t kWholeFile = std::size_t{8} << 20;
constexpr std::size_t kGroup = std::size_t{64} << 10;
constexpr std::size_t kLongestGroup = std::size_t{1} << 20;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos; }

// Without blank lines before it and line ends behind it.
std::string_view trimmed_lines(std::string_view text) {
  const std::size_t letter = text.find_first_not_of(" \t\r\n\v\f");
  if (letter == std::string_view::npos) return {};
  const std::size_t line = text.substr(0, letter).rfind('\n');
  text.remove_prefix(line == std::string_view::npos ? 0 : line + 1);
  return text.substr(0, text.find_last_not_of(" \t\r\n\v\f") + 1);
}

// At most `most` bytes that end with a line, or at least with a character.
std::size_t end_near(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  const std::size_t line = text.rfind('\n', most - 1);
  if (line != std::string_view::npos) return line + 1;
  std::size_t end = most;
  while (end + 3 > most && end > 1 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return end;
}

class TextDocuments final : public DocumentReader {
 public:
  TextDocuments(UnpackedFile file, const DocumentOptions& options)
      : file_(std::move(file)),
        split_(options.split),
        size_(std::max<std::size_t>(options.block, 1)),
        longest_(options.longest_line) {}

  Result<bool> next(DocumentBlock& block) override {
    std::string bytes = std::move(block.bytes);
    bytes.clear();
    bytes.swap(rest_);
    block = {.number = number_, .line = line_, .byte = byte_, .bytes = std::move(bytes)};
    cut(block);
    if (block.bytes.empty()) {
      if (file_.error()) return std::unexpected(*file_.error());
      return false;
    }
    const std::uint64_t feeds = count_byte(block.bytes, '\n');
    const bool last = rest_.empty() && !file_.fill(rest_, 1);
    block.lines = feeds + (last && block.bytes.back() != '\n' ? 1 : 0);
    block.stored = file_.stored() - stored_;
    stored_ = file_.stored();
    if (block.overlong > 0) {
      byte_ += block.overlong;
      block.bytes.resize(std::min(block.bytes.size(), LineBlocks::kKept));
    } else {
      byte_ += block.bytes.size();
    }
    line_ += feeds;
    ++number_;
    return true;
  }

  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override {
    if (block.overlong > 0) {
      sink.fault({.kind = LineFaultKind::kTooLong, .line = block.line, .byte = block.byte, .length = block.overlong});
      return;
    }
    Taker taker(block, sink);
    if (!block.ends.empty()) {
      std::size_t from = 0;
      for (const std::uint64_t end : block.ends) from = taker.take(from, static_cast<std::size_t>(end), false);
      return;
    }
    const std::string_view bytes = block.bytes;
    for (std::size_t from = 0; from < bytes.size();) {
      const std::size_t most = from + end_near(bytes.substr(from), longest_);
      from = taker.take(from, std::min(next_paragraph(bytes, from), most), true);
    }
  }

 private:
  // Hands over the documents of a block one behind the other.
  class Taker {
   public:
    Taker(const DocumentBlock& block, DocumentSink& sink)
        : bytes_(block.bytes),
          sink_(sink),
          text_(sink),
          place_{.line = block.line, .byte = block.byte},
          checked_(simdjson::validate_utf8(block.bytes.data(), block.bytes.size())) {}

    // Returns `end`.
    std::size_t take(std::size_t from, std::size_t end, bool trim) {
      std::string_view raw = bytes_.substr(from, end - from);
      PlainText::Place place = place_;
      place_.line += count_byte(raw, '\n');
      place_.byte += raw.size();
      if (place.byte == 0 && raw.starts_with(kByteOrderMark)) {
        sink_.fault({.kind = LineFaultKind::kByteOrderMark, .line = 1, .length = kByteOrderMark.size(), .lost = false});
        raw.remove_prefix(kByteOrderMark.size());
      }
      if (trim) {
        const std::string_view kept = trimmed_lines(raw);
        const std::string_view before = raw.substr(0, static_cast<std::size_t>(kept.data() - raw.data()));
        if (kept.empty()) return end;
        place.line += count_byte(before, '\n');
        place.byte += before.size();
        raw = kept;
      }
      if (!sink_.wants(place.line)) return end;
      const std::string_view text = text_.read(raw, place, checked_);
      sink_.take({.text = text, .number = number_++, .line = place.line, .byte = place.byte});
      return end;
    }

   private:
    std::string_view bytes_;
    DocumentSink& sink_;
    PlainText text_;
    PlainText::Place place_;
    bool checked_;
    std::uint64_t number_ = 0;
  };

  void cut(DocumentBlock& block) {
    if (split_ == TextSplit::kParagraph) return cut_paragraphs(block);
    if (split_ == TextSplit::kAuto) {
      if (number_ > 0 || file_.fill(block.bytes, kWholeFile + 1)) return cut_groups(block);
      split_ = TextSplit::kFile;
    }
    cut_file(block);
  }

  void cut_file(DocumentBlock& block) {
    std::string& bytes = block.bytes;
    while (bytes.size() <= longest_ && file_.fill(bytes, bytes.size() + size_)) {
    }
    if (bytes.size() > longest_) {
      pass_the_rest(block);
    } else if (!bytes.empty()) {
      block.ends.push_back(bytes.size());
    }
  }

  // Of a file that is too long nothing is kept but its start.
  void pass_the_rest(DocumentBlock& block) {
    block.overlong = block.bytes.size();
    block.bytes.resize(LineBlocks::kKept);
    std::string piece;
    for (bool more = true; more;) {
      piece.clear();
      more = file_.fill(piece, size_);
      block.overlong += piece.size();
    }
  }

  // A document is at least kGroup long, and kLongestGroup where no paragraph ends before.
  void cut_groups(DocumentBlock& block) {
    std::string& bytes = block.bytes;
    std::size_t from = 0;
    do {
      file_.fill(bytes, from + kLongestGroup + 1);
      const std::string_view text = std::string_view(bytes).substr(from);
      if (text.empty()) break;
      const std::size_t paragraph = next_paragraph(text.substr(0, kLongestGroup), std::min(kGroup, text.size()));
      from += paragraph != std::string_view::npos ? paragraph : end_near(text, kLongestGroup);
      block.ends.push_back(from);
    } while (from < size_);
    rest_.assign(bytes, from);
    bytes.resize(from);
  }

  // Where the last paragraph of the text has to be cut since it is too long; npos where it is not.
  std::size_t end_of_longest(std::string_view text) const {
    std::size_t from = 0;
    for (std::size_t next = 0; next != std::string_view::npos; next = next_paragraph(text, from)) from = next;
    return text.size() - from > longest_ ? from + end_near(text.substr(from), longest_) : std::string_view::npos;
  }

  void cut_paragraphs(DocumentBlock& block) {
    std::string& bytes = block.bytes;
    std::size_t wanted = size_;
    for (std::size_t seen = size_;;) {
      const bool more = file_.fill(bytes, wanted);
      std::size_t end = next_paragraph(bytes, seen);
      if (end == std::string::npos && bytes.size() > longest_) end = end_of_longest(bytes);
      if (end != std::string::npos || !more) {
        end = std::min(end, bytes.size());
        rest_.assign(bytes, end);
        bytes.resize(end);
        return;
      }
      // A blank line may be cut: what follows is looked at from the last line on.
      seen = std::max(seen, bytes.rfind('\n') + 1);
      wanted = bytes.size() + size_;
    }
  }

  UnpackedFile file_;
  TextSplit split_;
  std::size_t size_;
  std::uint64_t longest_;
  std::string rest_;
  std::uint64_t number_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t byte_ = 0;
  std::uint64_t stored_ = 0;
};

// A line is a document; blank ones are none.
class TextLines final : public DocumentReader {
 public:
  TextLines(UnpackedFile file, const DocumentOptions& options)
      : longest_(options.longest_line), blocks_(std::move(file), options.block, options.longest_line) {}

  Result<bool> next(DocumentBlock& block) override { return blocks_.next(block); }

  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override {
    PlainText text(sink);
    const bool checked = simdjson::validate_utf8(block.bytes.data(), block.bytes.size());
    std::uint64_t number = 0;
    for (LinesOfBlock lines(block, longest_, sink); lines.next();) {
      const LinesOfBlock::Line& line = lines.line();
      if (is_blank(line.text)) continue;
      const std::string_view kept = line.text.substr(0, line.text.find_last_not_of(" \t\r\v\f") + 1);
      const std::string_view read = text.read(kept, {.line = line.number, .byte = line.byte}, checked);
      sink.take({.text = read, .number = number++, .line = line.number, .byte = line.byte});
    }
  }

 private:
  std::uint64_t longest_;
  LineBlocks blocks_;
};

}  // namespace

std::size_t next_paragraph(std::string_view text, std::size_t from) {
  bool blank = false;
  for (std::size_t at = from;;) {
    const std::size_t feed = text.find('\n', at);
    if (feed == std::string_view::npos) return feed;
    at = text.find_first_not_of(" \t\r\v\f", feed + 1);
    if (at == std::string_view::npos) return at;
    if (text[at] == '\n') {
      blank = true;
    } else if (blank) {
      return feed + 1;
    }
  }
}

std::unique_ptr<DocumentReader> open_text_documents(UnpackedFile file, const DocumentOptions& options) {
  if (options.split == TextSplit::kLine) return std::make_unique<TextLines>(std::move(file), options);
  return std::make_unique<TextDocuments>(std::move(file), options);
}

}  // namespace assay
