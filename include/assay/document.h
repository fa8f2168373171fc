#pragma once
// A document of a corpus: the text that a model is trained on, as one reads it before it is tokenised.

#include <cstdint>
#include <string_view>

namespace assay {

/// Views: valid only inside the call that hands it over.
struct Document {
  std::string_view text;     // UTF-8; what of a plain text was no UTF-8 stands as U+FFFD (see LineFault)
  std::string_view id;       // its own, as JSON writes it: "\"doc-7\"", "7"; empty: it has none
  std::uint64_t number = 0;  // in its file, from 0: every row that gives a document counts, empty ones too
  std::uint64_t line = 0;    // where it begins: the line (from 1) of a text, the row (from 1) of a table
  std::uint64_t byte = 0;    // where its line begins, in the unpacked file
};

/// What of a plain text is a document. kAuto: the file; of one above 8 MiB, groups of paragraphs.
enum class TextSplit : std::uint8_t { kAuto, kFile, kParagraph, kLine };

/// What is wrong with a line (a row) of a corpus, whatever its text is.
enum class LineFaultKind : std::uint8_t {
  kInvalidUtf8,    // bytes that no UTF-8 sequence has
  kLoneSurrogate,  // "\ud83d" without its other half: no UTF-8 can hold it
  kInvalidJson,    // no JSON
  kTruncated,      // ends in the middle
  kNotAnObject,    // JSON, but no object
  kMissingText,    // no text field; `detail` names the fields that there are
  kNullText,       // "text": null
  kWrongType,      // the text is a number, an object
  kListText,       // the text is a list of strings: one document of several sequences for some, an error for others
  kDuplicateKey,   // the text twice: Python takes the last, others the first
  kTrailingData,   // more after the object
  kNonStrictJson,  // NaN, Infinity: Python reads it, others do not
  kByteOrderMark,  // at the start of the file: harmless, and taken off
  kTooLong,        // longer than a document may be
  kMissingColumn,  // a row with fewer cells than the header
  kOtherEncoding,  // no UTF-8, and turned into it; `detail` names what it was: "GB18030", "UTF-16"
  kBadToken,       // a token that the vocabulary does not have; it stands as U+FFFD; `detail` is its number
};

struct LineFault {
  LineFaultKind kind = LineFaultKind::kInvalidJson;
  std::uint64_t line = 0;    // from 1
  std::uint64_t byte = 0;    // where the line begins, in the unpacked file
  std::uint64_t offset = 0;  // of the fault in the line
  std::uint64_t length = 0;  // bytes
  bool lost = true;          // the line gives no document
  std::string_view detail;   // what was seen: a name, a number, a piece of the line; valid inside the call only
};

}  // namespace assay
