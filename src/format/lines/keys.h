#pragma once
// What stands before a number tells what it is: the key of each slot, derived from the literals of a line.
//
//   ` lm loss: 2.1`  `'grad_norm': 0.3`  `lr=1e-4`  keyed: the text back to the last separator
//   `loss 3.88,`  `Learning Rate 7e-05`            words: how many of them belong to the key is for the caller to say
//   `iteration  10/ 1000`                          total of the slot before
//   `loss: 6.59 (6.57)`  `9.46GiB(64.99%)`         annotation of the slot before
//   `lr=[1e-4, 1e-4]`                              item of a list
//   `Epoch:[0/19](100/24681)`                      position within the epoch before
//   `20%|███ | 4098/20000 [`                       progress bar
//   `loss at 16004 1.78`  `Eval loss at step 4000: 7.06`   key, step, value
//   `| loss | 0.5 |`                               keyed: a table of one metric a row
//   `LR (group 0)=1e-4`  `lr[0]: 1e-4`             index: belongs to the key of the slot behind it
//   `After 100 steps the loss is 2.3`              counted: the word behind the number says what it counts
// The derivation sees only the cores of the literals, never a digit, so that it holds for every line of the shape.

#include <string>
#include <string_view>
#include <vector>

#include "format/lines/tokenizer.h"

namespace assay::lines {

enum class Relation : std::uint8_t {
  kNone,   // nothing before it that could be a key
  kKeyed,  // ":" or "=" stands between
  kWord,   // only a blank
  kTotal,
  kAnnotation,
  kListItem,
  kWithinEpoch,
  kProgress,
  kAt,       // "KEY at N": the slot is a step, the key belongs to the next slot
  kIndex,    // a number in brackets within a key
  kCounted,  // "After N steps", "第 N 步": the key is what is counted
};

struct Field {
  Relation relation = Relation::kNone;
  std::string key;     // as printed, without quotes; for kAt the key of the value to come
  bool paren = false;  // stands in a bracket behind the key: "SomeTest (3 ms)"
  std::string unit;    // letters or "%" behind the number
};

/// One field for each slot.
std::vector<Field> derive_fields(const Tokenised& line);

}  // namespace assay::lines
