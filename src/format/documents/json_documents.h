#pragma once
// JSON values that are not one a line: an array of objects, objects written over several lines, one object a file.

#include <memory>

#include "format/documents/reader.h"
#include "format/documents/text_field.h"
#include "format/documents/unpacked_file.h"

namespace assay {

std::unique_ptr<DocumentReader> open_json_documents(UnpackedFile file, const DocumentOptions& options, TextField field);

/// Looks at the first objects of such a file.
FieldChoice choose_field_of_values(std::string_view start, std::string_view field);

/// Finds where values end in text that comes piece by piece. It looks at brackets and strings alone; whether a value is
/// JSON is seen when it is taken apart.
class JsonCutter {
 public:
  /// Goes on in `text` from `at` (0, or what it returned). True: at() stands behind a value that began at from() (with
  /// what separates it from the one before). False: the text ends first.
  bool next(std::string_view text);
  std::size_t at() const { return at_; }
  /// The text has lost its first bytes.
  void drop(std::size_t bytes) { at_ -= bytes; }

 private:
  bool string(std::string_view text);
  bool bracket(char c);

  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool in_scalar_ = false;
  bool in_list_ = false;  // of the outermost array, whose elements are the values
  bool started_ = false;
};

}  // namespace assay
