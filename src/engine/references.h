#pragma once
// Which other files the settings of a run name. Essay in references.cpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/run.h"

namespace assay {

/// Values that may name a file of settings or a folder with one, as written; bounded. What stands before something
/// that only a run can tell ("$DIR/ds.json") is left out.
std::vector<std::string> references_of(const Config& config);

/// "./a//b/../c" -> "a/c": two spellings of a path are one.
std::string plain_path(std::string_view path);

/// How well the file at `path` is what a file in `folder` calls `reference`: the number of names of the path that agree
/// from the end; 0 where it is not. Paths are compared as text.
std::size_t fits_reference(std::string_view path, std::string_view folder, std::string_view reference);

/// All paths for which fits_reference() may hold, bounded.
std::vector<std::string> paths_of_reference(std::string_view folder, std::string_view reference);

/// Paths at which a file in `folder` may mean `reference`, the likeliest first; at most four.
std::vector<std::string> places_of_reference(std::string_view folder, std::string_view reference);

}  // namespace assay
