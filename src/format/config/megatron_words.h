#pragma once
// What the options of Megatron-LM and its descendants mean where the common vocabulary (core/setting_names.h) does not
// say, or says something else. The same names stand in its dump of arguments, with '_' for '-'.

#include <string_view>

namespace assay {

struct MegatronWord {
  std::string_view key;  // as in the dump
  std::string_view canonical;
  bool negated = false;  // a flag that says the opposite
};

/// Null: not one of them. Leading dashes and '-' for '_' do not matter.
const MegatronWord* megatron_word(std::string_view key);

/// Whether an option or a key of a dump shows that Megatron-LM or a descendant is meant.
bool is_megatron_mark(std::string_view key);

}  // namespace assay
