#pragma once
// Values of a shell script as far as they can be known without running it. A value is made of pieces; each knows the
// line on which it was written and, where it cannot be known, why.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay::shell {

struct Piece {
  std::string text;  // where it is unknown: what is written there, "$(nvidia-smi)"
  std::int64_t line = 0;
  std::shared_ptr<const std::string> why = {};  // null: known
};
using Value = std::vector<Piece>;

inline std::string text_of(const Value& value) {
  std::string out;
  for (const Piece& piece : value) out += piece.text;
  return out;
}

/// Why the value is not known; null when it is.
inline std::shared_ptr<const std::string> why_of(const Value& value) {
  for (const Piece& piece : value) {
    if (piece.why) return piece.why;
  }
  return nullptr;
}

/// What a command would print is one word: how many it has cannot be known. What a branch may have set has its own.
inline bool is_one_word(const Piece& piece) {
  return piece.why && (piece.text.starts_with('$') || piece.text.starts_with('`'));
}

/// A variable: a text, or an array of them.
struct Variable {
  std::vector<Value> values;             // one unless it is an array
  std::map<std::string, Value> by_name;  // of an associative array
  bool array = false;
  bool exported = false;
  std::shared_ptr<const std::string> why_size = {};  // why it is not known how many values there are; null: it is
  std::int64_t line = 0;                             // of the assignment
};

using Variables = std::map<std::string, std::shared_ptr<const Variable>, std::less<>>;

/// A word of a command after expansion.
struct Argument {
  std::string text;
  std::int64_t line = 0;
  std::string why = {};  // empty: known
};

/// A command that is no builtin, with what it would be given.
struct Invocation {
  std::vector<Argument> words;
  std::vector<std::pair<std::string, Argument>> environment;  // VAR=x before the command
  std::int64_t line = 0;
  std::string branch = {};  // why it may not run; empty: it does
};

/// A text that the script writes into a file.
struct WrittenText {
  std::string file;  // as far as it is known
  Value text;
};

}  // namespace assay::shell
