#pragma once
// The one number that a tensor of an event file holds, where it holds one, or its text.

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// What TensorFlow calls its types (types.proto), as far as they are told apart here.
inline constexpr std::int32_t kTensorString = 7;

struct TensorContent {
  std::int32_t type = 0;
  bool single = true;            // the shape has one element
  std::optional<double> number;  // where it is single and of a type that is a number
  std::string_view text;         // the first string
};

/// message: a TensorProto. Throws protozero::exception where it is none.
TensorContent read_tensor(std::string_view message);

}  // namespace assay
