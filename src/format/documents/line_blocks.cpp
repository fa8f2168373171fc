#include "format/documents/line_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "format/documents/byte_scan.h"

namespace assay {

LineBlocks::LineBlocks(UnpackedFile file, std::size_t block, std::uint64_t longest)
    : file_(std::move(file)), size_(std::max<std::size_t>(block, 1)), longest_(std::max<std::uint64_t>(longest, 1)) {}

// Where the block ends that starts `bytes`; npos: in a line that is too long. Reads on as far as it must.
std::size_t LineBlocks::find_end(std::string& bytes) {
  bool more = file_.fill(bytes, size_);
  const std::size_t last = bytes.rfind('\n', size_ - 1);
  if (last != std::string::npos) return last + 1;
  if (!more && bytes.size() <= size_) return bytes.size();
  for (std::size_t seen = size_;;) {
    const std::size_t end = bytes.find('\n', seen);
    if (std::min(end, bytes.size()) > longest_) return std::string::npos;
    if (end != std::string::npos) return end + 1;
    if (!more) return bytes.size();
    seen = bytes.size();
    more = file_.fill(bytes, seen + size_);
  }
}

// Reads to the end of the line of which the block has read more than enough, and forgets what it reads.
void LineBlocks::pass_long_line(DocumentBlock& block) {
  std::string piece = std::move(block.bytes);
  block.bytes.assign(piece, 0, kKept);
  for (bool more = true;;) {
    const std::size_t end = piece.find('\n');
    block.overlong += std::min(end, piece.size());
    if (end != std::string::npos) {
      rest_.assign(piece, end + 1);
      return;
    }
    if (!more) return;
    piece.clear();
    more = file_.fill(piece, size_);
  }
}

void LineBlocks::hand_over(DocumentBlock& block, std::size_t end) {
  rest_.assign(block.bytes, end);
  block.bytes.resize(end);
}

Result<bool> LineBlocks::next(DocumentBlock& block) {
  std::string bytes = std::move(block.bytes);
  bytes.clear();
  bytes += rest_;
  rest_.clear();
  block = {.number = number_, .line = line_, .byte = byte_, .bytes = std::move(bytes)};
  const std::size_t end = find_end(block.bytes);
  if (end == 0) {
    if (file_.error()) return std::unexpected(*file_.error());
    return false;
  }
  if (end == std::string::npos) {
    pass_long_line(block);
    block.lines = 1;
    byte_ += block.overlong + 1;
  } else {
    hand_over(block, end);
    block.lines = count_byte(block.bytes, '\n') + (block.bytes.back() == '\n' ? 0 : 1);
    byte_ += block.bytes.size();
  }
  block.stored = file_.stored() - stored_;
  stored_ = file_.stored();
  line_ += block.lines;
  ++number_;
  return true;
}

LinesOfBlock::LinesOfBlock(const DocumentBlock& block, std::uint64_t longest, DocumentSink& sink)
    : rest_(block.bytes),
      overlong_(block.overlong),
      longest_(longest),
      sink_(sink),
      next_line_(block.line),
      next_byte_(block.byte) {}

bool LinesOfBlock::next() {
  while (!rest_.empty()) {
    const auto* end = static_cast<const char*>(std::memchr(rest_.data(), '\n', rest_.size()));
    const std::size_t size = end == nullptr ? rest_.size() : static_cast<std::size_t>(end - rest_.data());
    line_ = {rest_.substr(0, size), next_line_++, next_byte_};
    const std::size_t whole = end == nullptr ? size : size + 1;
    rest_.remove_prefix(whole);
    next_byte_ += whole;
    if (sink_.wants(line_.number) && good()) return true;
  }
  return false;
}

void LinesOfBlock::tell(LineFaultKind kind, std::uint64_t length, bool lost, std::string_view detail) {
  sink_.fault(
      {.kind = kind, .line = line_.number, .byte = line_.byte, .length = length, .lost = lost, .detail = detail});
}

bool LinesOfBlock::good() {
  constexpr std::size_t kShown = 32;
  const std::uint64_t length = std::max<std::uint64_t>(overlong_, line_.text.size());
  if (length > longest_) {
    tell(LineFaultKind::kTooLong, length, true, printable_utf8(line_.text.substr(0, kShown)));
    return false;
  }
  if (line_.byte == 0 && line_.text.starts_with(kByteOrderMark)) {
    tell(LineFaultKind::kByteOrderMark, kByteOrderMark.size(), false, {});
    line_.text.remove_prefix(kByteOrderMark.size());
  }
  return true;
}

}  // namespace assay
