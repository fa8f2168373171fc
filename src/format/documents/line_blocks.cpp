#include "format/documents/line_blocks.h"

#include <algorithm>
#include <utility>

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

}  // namespace assay
