#pragma once
// What logs hide: numbers that do not mean what their name says. Each step changes the series of one segment in place
// and tells what it did; the order in interpret.cpp matters (a stale grad norm must go before the loss scale is
// divided out).

#include <vector>

#include "assay/run.h"

namespace assay {

/// A series without the values whose index is marked. Ownership of the rest moves over.
Series without(Series series, const std::vector<bool>& drop);

/// "-1.0" and "0.000" that stand for "not measured": placeholders.cpp.
void drop_placeholders(Segment& segment, std::vector<Interpretation>& told);

/// A grad norm printed again after a skipped step: stale_grad_norm.cpp. Needs the events of the segment.
void drop_stale_grad_norms(Segment& segment, const std::vector<Event>& events, std::vector<Interpretation>& told);

/// A grad norm that still carries the loss scale: scaled_grad_norm.cpp.
void unscale_grad_norm(Segment& segment, std::vector<Interpretation>& told);

/// Losses in bits, or divided or multiplied by the accumulation steps: loss_units.cpp.
void bring_loss_to_nats_per_step(Segment& segment, const Config& config, std::vector<Interpretation>& told);

/// A detector's loss as the sum of the parts that it logs: loss_of_parts.cpp.
void sum_parts_of_loss(Segment& segment, std::vector<Interpretation>& told);

/// "epoch_num" that counts samples: epoch_units.cpp.
void keep_own_name_of_foreign_epochs(Segment& segment, std::vector<Interpretation>& told);

/// "eval_accuracy" that is a log perplexity: epoch_units.cpp.
void rename_loss_called_accuracy(Segment& segment, const Config& config, std::vector<Interpretation>& told);

/// The unit of a loss that is none of tokens: token_loss.cpp. After interpret(), when the values are
/// what they are judged as.
void take_nats_off_other_losses(Segment& segment, std::string_view dialect);

/// All of them, in their order.
void interpret(Segment& segment, const std::vector<Event>& events, const Config& config,
               std::vector<Interpretation>& told);

/// Tells once what several segments told each: counts are added.
void merge(std::vector<Interpretation>& told);

}  // namespace assay
