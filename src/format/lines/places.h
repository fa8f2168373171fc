#pragma once
// Numbers that their place names, where no key does: the rank that a launcher or a logger puts into a line, the epoch
// in brackets behind the name of a data set, the middle one of quartiles.

#include <span>
#include <vector>

#include "format/lines/claims.h"
#include "format/lines/shape.h"

namespace assay::lines {

/// How many numbers stand in a launcher's mark that begins with something else than a number. message: behind it.
std::size_t slots_of_mark(const Tokenised& line, const char* message);
/// The line without the first `marked` numbers and without the mark.
Tokenised behind_mark(const Tokenised& line, const char* message, std::size_t marked);
/// Counts the places of a body's meaning from the beginning of its line, and adds what the mark tells.
void count_with_mark(Meaning& meaning, const Tokenised& line, const Tokenised& body, const char* message);

/// Marks the slots that hold a rank. message: where the line begins behind a launcher's mark.
void mark_ranks(const Tokenised& tokens, const char* message, std::vector<SlotPlan>& slots);

/// "train (2/10) loss: 1.5", Catalyst's: the number in brackets is the epoch.
void claim_epoch_of_set(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims);

/// "grad-norm quartiles 1.1 1.5 1.8 2.5 12.0" of k2's optimizer tells least, quarters and greatest: the median stands
/// for the records since the last such line.
void claim_median(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims);

/// "grad_norm={'0_default': 44.2, '1_fp32': 0.0}" of InternLM: the first group of parameters stands for the norm.
void claim_first_of_groups(const Tokenised& tokens, std::span<Claim> claims);

/// "Accuracy: 9812/10000 (98%)": the share, not how many.
void claim_share(std::span<const Field> fields, std::span<Claim> claims);

}  // namespace assay::lines
