#pragma once
// Numbers of tokens and parameters as people say them: 450 B and 4,500 亿 rather than 4.5e+11.

#include <string>

#include "assay/text.h"

namespace assay {

/// Three significant digits; thousands, millions, … in English, ten thousands and their squares in Chinese:
/// {"176 B", "1,760 亿"}. Below ten thousand plain, outside of 1 to 1e16 as format() has it.
Text in_words(double number);

/// {name} as a number, {name_en} and {name_zh} in words: a sentence takes that of its language.
void add_large(Values& values, const std::string& name, double number);

}  // namespace assay
