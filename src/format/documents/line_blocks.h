#pragma once
// Cuts a file into blocks of whole lines.

#include <cstdint>
#include <string>

#include "format/documents/reader.h"
#include "format/documents/unpacked_file.h"

namespace assay {

/// The rule, which looks at nothing but the unpacked bytes: a block ends behind the last line feed within its first
/// `block` bytes; where there is none, behind the next one. A line longer than `longest` has a block of its own, of
/// which only the first kKept bytes are kept.
class LineBlocks {
 public:
  static constexpr std::size_t kKept = 4096;

  LineBlocks(UnpackedFile file, std::size_t block, std::uint64_t longest);
  Result<bool> next(DocumentBlock& block);

 private:
  std::size_t find_end(std::string& bytes);
  void pass_long_line(DocumentBlock& block);
  void hand_over(DocumentBlock& block, std::size_t end);

  UnpackedFile file_;
  std::size_t size_;
  std::uint64_t longest_;
  std::string rest_;  // read, not yet handed over
  std::uint64_t number_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t byte_ = 0;
  std::uint64_t stored_ = 0;
};

}  // namespace assay
