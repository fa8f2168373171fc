#pragma once
// Cuts a file into blocks of whole lines.

#include <cstdint>
#include <string>
#include <string_view>

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

/// The lines of such a block, one after the other: those that are too long are told, a byte order mark at the start of
/// the file is told and taken off, and those that the sink does not want are passed over.
class LinesOfBlock {
 public:
  struct Line {
    std::string_view text;  // without its line feed
    std::uint64_t number = 1;
    std::uint64_t byte = 0;
  };
  LinesOfBlock(const DocumentBlock& block, std::uint64_t longest, DocumentSink& sink);
  bool next();
  const Line& line() const { return line_; }

 private:
  bool good();
  void tell(LineFaultKind kind, std::uint64_t length, bool lost, std::string_view detail);

  std::string_view rest_;
  std::uint64_t overlong_;
  std::uint64_t longest_;
  DocumentSink& sink_;
  Line line_;
  std::uint64_t next_line_;
  std::uint64_t next_byte_;
};

}  // namespace assay
