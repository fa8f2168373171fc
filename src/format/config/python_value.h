#pragma once
// Plain expressions of Python: numbers and their arithmetic, strings, names of values known before. Nothing is called.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace assay {

struct PythonValue {
  std::string text;          // as Python would print it; where it is unknown: the source
  std::string unknown = {};  // why
};

/// known: the value of a name, or null.
PythonValue evaluate_python(std::string_view expression,
                            const std::function<const PythonValue*(std::string_view name)>& known);

}  // namespace assay
