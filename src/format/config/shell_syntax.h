#pragma once
// What a shell script says, as a tree: commands, words, the parts of words. Nothing here is run.

#include <cstdint>
#include <string>
#include <vector>

namespace assay::shell {

struct Part;
using Word = std::vector<Part>;

/// A piece of a word, of one line at most.
struct Part {
  enum class Kind : std::uint8_t {
    kText,
    kParameter,   // $V, ${V:-8}
    kArithmetic,  // $((…)): argument
    kCommand,     // $(…), `…`, <(…): never run
  };
  Kind kind = Kind::kText;
  bool quoted = false;
  std::int64_t line = 0;
  std::string text = {};  // kText: without quotes and backslashes; else as written
  std::string name = {};  // of a parameter: a name, a digit, one of @*#?$!-
  std::string op = {};    // ":-", "#", "%%", "length", …; empty: none; "!": none that is known
  bool indexed = false;   // ${V[…]}
  Word index = {};        // what stands in the brackets
  Word argument = {};     // of the operator; the expression of $((…))
  Word replacement = {};  // of "/" and "//"
};

struct Assignment {
  std::string name;
  std::int64_t line = 0;
  bool append = false;   // +=
  bool array = false;    // =( … )
  bool indexed = false;  // a[i]=v
  Word index = {};
  std::vector<Word> values = {};  // one unless `array`; of an array `[k]=v` is in `keys`
  std::vector<Word> keys = {};    // beside `values`, empty where an element has none
};

/// The text behind `<<EOF`.
struct Heredoc {
  std::int64_t line = 0;  // of its first line
  Word body = {};
};

struct Command;
using List = std::vector<Command>;

/// One way through an if, a case or a loop.
struct Branch {
  std::int64_t line = 0;
  List condition;  // no initialisers here: Command is not known yet
  std::vector<Word> patterns;
  List body;
};

struct Command {
  enum class Kind : std::uint8_t {
    kSimple,
    kIf,
    kCase,
    kFor,
    kWhile,
    kFunction,
    kGroup,
    kSubshell,
    kArithmetic,
    kTest
  };
  enum class Join : std::uint8_t { kThen, kAnd, kOr, kPipe };  // how it follows the one before
  Kind kind = Kind::kSimple;
  Join join = Join::kThen;
  bool negated = false;
  bool declares = false;  // export, declare, local, readonly, typeset
  bool exports = false;
  bool has_else = false;  // the last branch has no condition
  std::int64_t line = 0;
  std::vector<Assignment> assignments = {};
  std::vector<Word> words = {};    // of a case: the subject; of a for: what it runs over
  std::vector<Word> targets = {};  // of redirections into files
  std::vector<Heredoc> heredocs = {};
  std::vector<Word> strings = {};  // behind <<<
  std::string name = {};           // of a function, of the variable of a for
  Word expression = {};            // of ((…))
  std::vector<Branch> branches = {};
};

/// Something that could not be understood.
struct Complaint {
  std::int64_t line = 0;
  std::string what;
};

struct Script {
  List commands;
  std::vector<Complaint> complaints;  // a bounded number
};

}  // namespace assay::shell
