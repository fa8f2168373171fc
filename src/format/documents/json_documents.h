#pragma once
// JSON values that are not one a line: an array of objects, objects written over several lines, one object a file.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>

#include "format/documents/reader.h"
#include "format/documents/text_field.h"
#include "format/documents/unpacked_file.h"

namespace assay {

std::unique_ptr<DocumentReader> open_json_documents(UnpackedFile file, const DocumentOptions& options, TextField field);

/// Looks at the first objects of such a file.
FieldChoice choose_field_of_values(std::string_view start, std::string_view field);

/// Finds where values begin and end in text that comes piece by piece. It looks at brackets and strings alone; whether
/// a value is JSON is seen when it is taken apart. Blanks, commas and the brackets of the outermost list are no part of
/// a value; a closing bracket that closes nothing is one, for itself.
class JsonCutter {
 public:
  /// Goes on in `text` from at(). True: a value that began at from() ends at at(). False: the text ends first; all of
  /// it has been looked at, but for a backslash at its end.
  bool next(std::string_view text);
  std::size_t at() const { return at_; }
  /// Of the last value; 0 where the text has lost its beginning.
  std::size_t from() const { return from_; }
  /// Of text that has ended: whether it ended in a value, which began at from().
  bool in_value() const { return in_value_; }
  /// Bytes that are not to be looked at.
  void pass(std::size_t bytes) { at_ += bytes; }
  /// The text has lost its first bytes, no more of them than at().
  void drop(std::size_t bytes) {
    at_ -= bytes;
    from_ -= std::min(bytes, from_);
  }

 private:
  bool string(std::string_view text);
  bool separates(char c);
  bool ends_value(char c);

  std::size_t at_ = 0;
  std::size_t from_ = 0;
  std::size_t depth_ = 0;
  bool in_value_ = false;
  bool in_string_ = false;
  bool in_scalar_ = false;
  bool in_list_ = false;  // the outermost array, whose elements are the values
  bool started_ = false;
};

}  // namespace assay
