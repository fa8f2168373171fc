// The one file that sees CLI11: our table goes in, our words come out.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/display.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/help.h"

namespace assay::cli {

namespace {

std::string flags_of(const Option& option) {
  std::string names = "--" + std::string(option.name);
  if (option.letter != 0) names = std::string("-") + option.letter + "," + names;
  return names;
}

std::string hint_for(std::string_view word, const std::vector<std::string_view>& known, std::string_view otherwise) {
  const std::string guess = nearest(word, known);
  return guess.empty() ? std::string(otherwise) : "did you mean '" + guess + "'?";
}

Result<void> check_choice(const Option& option, const std::string& value) {
  if (option.choices.empty() ||
      std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end()) {
    return {};
  }
  std::string list;
  for (const std::string_view choice : option.choices) list += (list.empty() ? "" : ", ") + std::string(choice);
  return fail(ErrorCode::kUsage, "--" + std::string(option.name) + " is one of " + list + ", not '" + value + "'", {},
              hint_for(value, option.choices, ""));
}

std::string full_name(const Command& command) { return std::string(program().name) + " " + std::string(command.name); }

Error unknown_option(const Command& command, const std::string& word) {
  std::vector<std::string> names;
  for (const Option& option : command.options) names.push_back("--" + std::string(option.name));
  names.emplace_back("--help");
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string name = full_name(command);
  return {ErrorCode::kUsage,
          "unknown option '" + word + "' of " + name,
          {},
          hint_for(word.substr(0, word.find('=')), known, "'" + name + " --help' lists its options")};
}

Result<void> check_arguments(const Command& command, const std::vector<std::string>& arguments) {
  const std::string name = full_name(command);
  const std::string usage = usage_line(command);
  if (arguments.size() < command.least_arguments) {
    const bool reads = command.arguments.starts_with("PATH");
    return fail(ErrorCode::kUsage,
                name + " needs " + std::string(command.arguments) + (reads ? " ('-' reads standard input)" : ""), {},
                usage);
  }
  if (arguments.size() > command.most_arguments) {
    return fail(ErrorCode::kUsage, name + " does not know what to do with '" + arguments[command.most_arguments] + "'",
                {}, usage);
  }
  return {};
}

// Help comes before the options are taken.
bool asks_for_chinese(const Command& command, const std::vector<std::vector<std::string>>& values) {
  for (std::size_t i = 0; i < command.options.size(); ++i) {
    if (command.options[i].name == "lang") return !values[i].empty() && values[i].back() == "zh";
  }
  return false;
}

// CLI11 takes what begins with '-' for an option. A mark that no word of a command line can hold keeps what is none
// (a NUL ends a word).
constexpr char kMark = '\0';

std::vector<std::string> marked(const Command& command, std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word == "--") break;
    const bool dashed = word.size() > 1 && word.front() == '-' && command.takes_dashed && command.takes_dashed(word);
    if (dashed) word.insert(word.begin(), kMark);
  }
  return words;
}

void unmark(std::vector<std::string>& words) {
  for (std::string& word : words) {
    if (!word.empty() && word.front() == kMark) word.erase(0, 1);
  }
}

}  // namespace

int dispatch(const Command& command, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();  // --help is ours
  app.allow_extras();   // told here, with a guess at what was meant
  bool help = false;
  app.add_flag("-h,--help", help);
  std::vector<std::vector<std::string>> values(command.options.size());
  std::vector<int> flags(command.options.size());
  for (std::size_t i = 0; i < command.options.size(); ++i) {
    const Option& option = command.options[i];
    if (option.argument.empty()) {
      app.add_flag(flags_of(option), flags[i]);
    } else {
      app.add_option(flags_of(option), values[i])->type_size(1)->allow_extra_args(false)->take_all();
    }
  }
  std::vector<std::string> arguments;
  app.add_option("arguments", arguments);
  try {
    std::vector<std::string> ready = marked(command, words);
    std::reverse(ready.begin(), ready.end());
    app.parse(std::move(ready));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view what = error.what();  // "--format: 1 required TEXT missing"
    return complain(usage_error(std::string(what.substr(0, what.find(':'))) + " needs a value", usage_line(command)));
  } catch (const CLI::ParseError& error) {
    return complain({ErrorCode::kUsage, error.what(), {}, "'" + full_name(command) + " --help' tells more"});
  }
  unmark(arguments);
  for (std::vector<std::string>& one : values) unmark(one);
  if (help) return print_help(command, asks_for_chinese(command, values) ? Language::kChinese : Language::kEnglish);
  if (const auto extras = app.remaining(); !extras.empty()) return complain(unknown_option(command, extras.front()));
  for (std::size_t i = 0; i < command.options.size(); ++i) {
    const Option& option = command.options[i];
    if (flags[i] > 0) values[i].assign(static_cast<std::size_t>(flags[i]), "");
    for (const std::string& value : values[i]) {
      if (auto chosen = check_choice(option, value); !chosen) return complain(chosen.error());
      if (auto taken = option.take(value); !taken) return complain(taken.error());
    }
  }
  if (auto fits = check_arguments(command, arguments); !fits) return complain(fits.error());
  return command.run(arguments);
}

Error usage_error(std::string message, std::string hint) {
  Error error;
  error.code = ErrorCode::kUsage;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

std::string usage_line(const Command& command) {
  std::string out = "usage: " + full_name(command);
  if (!command.options.empty()) out += " [OPTION...]";
  return out + (command.arguments.empty() ? "" : " " + std::string(command.arguments));
}

int complain(const Error& error) {
  std::string text = std::string(program().name) + ": ";
  if (!error.where.path.empty()) {
    text += printable(error.where.path == "-" ? "stdin" : error.where.path) +
            (error.where.line > 0 ? ":" + std::to_string(error.where.line) : "") + ": ";
  }
  text += printable(error.message) + "\n";
  if (!error.hint.empty()) text += "  " + printable(error.hint) + "\n";
  std::fputs(text.c_str(), stderr);
  return kExitFailed;
}

}  // namespace assay::cli
