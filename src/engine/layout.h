#pragma once
// What the path of a file says of the run that it belongs to. Essay in layout.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/run.h"

namespace assay {

struct Layout {
  std::string folder;  // of the file, without a slash at the end; "." for the current one
  std::string name;
  std::string root;                // the folder of the run: that of the file, unless its place is known by name
  bool whole = false;              // the layout says that all files with this root are of one run
  bool aside = false;              // belongs to no run that can be judged (a tokenizer's files): never joined
  std::optional<SourceRole> role;  // where the name says it

  /// Event files whose folder names a part of the data: the folder without that word, which those of training share.
  std::string split_base;
  bool evaluation = false;  // that part is one of evaluation

  std::string stem;  // folder and name without what says what kind of file it is: "out/run1" of "out/run1.hparams.json"
  std::string family;  // stem without what tells parts of one run apart: dates, jobs, numbers of restarts
  bool part = false;   // there was such a thing
  std::string job;     // stem without the number of the process; empty where there is none
  std::int64_t rank = -1;
};

Layout layout_of(std::string_view path);

/// The stream of errors of what a program printed for people.
bool is_errors(std::string_view name);

/// Whether the folder with that name is entered although it is hidden.
bool hidden_but_told(std::string_view name);

/// '*' stands for any characters within one name of the path. The pattern is compared with the last names.
bool ends_like(std::string_view path, std::string_view pattern);

/// "out/tb" -> "out"; "." above a relative path's first folder; "/" stays.
std::string folder_above(std::string_view folder);

/// Whether `below` is `above` or lies below it.
bool lies_in(std::string_view below, std::string_view above);

}  // namespace assay
