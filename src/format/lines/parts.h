#pragma once
// What a line can be to a record over several lines.

#include <span>

#include "format/lines/claims.h"
#include "format/lines/shape.h"

namespace assay::lines {

/// Sets part, body_slot, body_skip and key_slot of `out`, whose slots have their use already.
void find_part(const Tokenised& tokens, std::span<const Field> fields, std::span<const Claim> claims,
               const char* message, Meaning& out);

}  // namespace assay::lines
