#pragma once
// Values as programs write them: Python literals, JSON, and the representations that print() gives of objects,
// `Namespace(lr=0.1, betas=(0.9, 0.95))`, `{'model': {'lr': 0.1}}`, `<Strategy.STEPS: 'steps'>`. One reader for all of
// them, which knows brackets and quotes and evaluates nothing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A value that holds no others by name.
struct Leaf {
  std::string path;  // levels joined by '/'
  std::string text;  // of a string without its quotes; of a list of plain values as written
  std::int64_t line = 0;
  bool quoted = false;
  bool call = false;  // a call with arguments that name nothing: `PosixPath('x')`
};

/// Appends the leaves of the value that `text` is, in order. path: of the value itself, may be empty; line: of the
/// text's first one. A text that ends in the middle gives what is whole before its end. At most 20,000 leaves, 32 deep:
/// what is deeper stays one leaf.
void flatten_literal(std::string_view text, std::string_view path, std::int64_t line, std::vector<Leaf>& out);

/// Where the bracket at `open` closes, or npos. Brackets in strings do not count.
std::size_t closing_bracket(std::string_view text, std::size_t open);

/// Where the item at `from` ends: at a ',' or a closing bracket of the level, or at the end. mark: also there; '\0':
/// none.
std::size_t item_end(std::string_view text, std::size_t from, char mark = '\0');

/// Behind the string that is quoted at `at`; at + 1 where the quote is no string's beginning.
std::size_t behind_string(std::string_view text, std::size_t at);

/// Follows how deep the brackets of a text are, line by line.
class BracketDepth {
 public:
  /// Takes a line. False: a bracket closes that is not open.
  bool line(std::string_view text);
  std::size_t depth() const { return open_.size(); }
  /// What closes the innermost one; '\0': none is open.
  char innermost() const { return open_.empty() ? '\0' : open_.back(); }

 private:
  std::string open_;
};

}  // namespace assay
