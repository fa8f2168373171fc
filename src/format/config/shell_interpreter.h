#pragma once
// Follows a shell script as far as that is possible without running anything: docs in shell_interpreter.cpp.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/config/shell_arithmetic.h"
#include "format/config/shell_syntax.h"
#include "format/config/shell_value.h"

namespace assay::shell {

/// What following the script gave.
struct Outcome {
  Variables variables;  // at its end
  std::vector<Invocation> invocations;
  std::vector<WrittenText> written;
  std::vector<Argument> sourced;  // files whose commands run in it
  std::int64_t long_command = 0;  // the line of the first that has more words than are read; 0: none
  bool exhausted = false;         // the script is more work than is worth it; what came after is unknown
};

class Interpreter {
 public:
  /// given: variables that are set before the script begins. The script has to outlive the interpreter.
  /// functions: those that the script defines and does not call are followed too, as whoever sources it calls them.
  Outcome run(const Script& script, Variables given, bool functions = false);

 private:
  enum class Truth : std::uint8_t { kNo, kYes, kUnknown };
  using Why = std::shared_ptr<const std::string>;
  struct Field {
    Value value;
    bool quoted = false;  // an empty one counts
  };

  // shell_interpreter.cpp
  Truth run_list(const List& list);
  Truth run_command(const Command& command);
  Truth run_kind(const Command& command);
  void run_maybe(const Command& command);
  template <class Run>
  void run_way(std::vector<Variables>& ways, const Variables& before, Run&& run);
  template <class Run>
  bool stays(Run&& run);
  void run_uncalled();
  Truth run_if(const Command& command);
  Truth run_case(const Command& command);
  void run_loop(const Command& command);
  void run_function(const Command& body, std::vector<Field> arguments);
  Truth run_simple(const Command& command);
  Truth run_builtin(const Command& command, const std::vector<Field>& words);
  void take_input(const Command& command, const std::vector<Field>& words);
  void refer(const Assignment& one);
  std::string_view target_of(std::string_view name) const;
  void print_into(const std::vector<Field>& words);
  bool take_array(const Command& command, std::string_view name);
  void run_let(const std::vector<Field>& words);
  void run_text(const Value& text);
  void run_words(std::vector<Field> words);
  void run_elsewhere(const std::vector<Field>& words);
  void invoke(const Command& command, const std::vector<Field>& words);
  void add_exported(Invocation& one) const;
  void write_out(const Command& command, const std::vector<Field>& words);
  void assign(const Assignment& one, bool exported);
  void assign_array(const Assignment& one, Variable& variable);
  void assign_element(const Assignment& one, Variable& variable);
  Why several(const Word& word, const std::vector<Field>& fields) const;
  void set(std::string_view name, Value value, std::int64_t line);
  void forget(std::string_view name, std::string why, std::int64_t line);
  void merge(std::vector<Variables> ways, std::int64_t line);
  std::shared_ptr<const Variable> merged(std::string_view name, const std::vector<Variables>& ways, std::int64_t line);

  // shell_conditions.cpp
  Truth test(const std::vector<Field>& words, std::size_t begin, std::size_t end, bool patterns, int depth);
  Truth test_one(const std::vector<Field>& words, std::size_t begin, std::size_t end, bool patterns);
  Truth compare(const Field& left, std::string_view op, const Field& right, bool patterns);
  Truth arithmetic_truth(const Word& expression);

  // shell_expansion.cpp
  std::vector<Field> expand_words(const std::vector<Word>& words);
  void expand(const Word& word, std::vector<Field>& out);
  void put_part(const Part& part, std::vector<Field>& out, bool& open);
  void put_fields(const Part& part, std::vector<Field>& out, bool& open);
  static void put_split(const Value& value, std::vector<Field>& out, bool& open);
  Value expand_text(const Word& word);
  Value part_value(const Part& part);
  Value parameter(const Part& part);
  Value special(const Part& part);
  Value operated(const Part& part, Value value, bool is_set);
  Value altered(const Part& part, Value value);
  Value substring(const Part& part, Value value);
  Value arithmetic(const Word& expression, const std::string& written, std::int64_t line);
  ArithmeticHost arithmetic_host();
  std::expected<std::string, std::string> readable(std::string_view name);
  std::vector<Value> elements(const Part& part);
  std::vector<Value> slice(const Part& part, std::vector<Value> all);
  std::optional<std::int64_t> index_of(const Word& index);
  const Variable* find(std::string_view name) const;
  Value unset_value(const Part& part);
  std::optional<std::string> expr(const Part& part);
  static Value unknown(std::string_view written, std::int64_t line, std::string why);
  Value limited(Value value);
  bool spend(std::size_t work);

  Variables variables_;
  std::map<std::string, const Command*, std::less<>> functions_;
  std::map<std::string, std::string, std::less<>> references_;  // declare -n
  std::vector<Field> arguments_;                                // of the function that runs
  bool in_function_ = false;
  std::string sourced_;  // the file that may have set what is not set
  Outcome out_;
  bool left_ = false;      // exit, return
  bool returned_ = false;  // return alone
  bool by_unset_ = false;  // the last condition was decided by a variable that nobody set
  std::string uncertain_;  // the branch that runs, where it may as well not
  const Why grown_ = std::make_shared<const std::string>("grows beyond 1 MB");
  std::vector<const Command*> calls_;  // the functions that run
  std::set<const Command*> called_;    // those that ever ran
  std::size_t work_ = 0;
};

/// Whether a text matches a pattern of the shell.
bool matches(std::string_view text, std::string_view pattern);

}  // namespace assay::shell
