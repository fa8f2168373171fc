#pragma once
// What a key means by what stands beside it on its line.

#include <span>
#include <string_view>

#include "format/lines/claims.h"

namespace assay::lines {

/// Slots whose use no key tells; -1: none.
struct Unkeyed {
  int step = -1;
  int rank = -1;
};

/// Changes claims by their neighbours on the line. fields and claims: one for each slot.
Unkeyed read_beside(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims,
                    const Dialect* dialect);

/// "| 200/ 2983 batches |": what stands behind a total says that it counts steps.
bool counts_batches(std::string_view behind);

/// "I0609 07:53:35.956785 140160153200448 hooks.py:260] Loss = 1.65": a process or thread stands before the place in
/// the source. behind: what stands behind the number.
bool names_source(std::string_view behind);

/// Marks losses that are parts of one: "box_loss" beside "cls_loss" is never the loss of the run by itself.
void mark_parts_of_loss(std::span<Claim> claims);

}  // namespace assay::lines
