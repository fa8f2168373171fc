// Steps that only the progress bar tells. Hugging Face's trainer prints a dictionary without a step; beside it the
// console has the bar, drawn again and again: " 5%|▌ | 50/1000 [00:10<03:10, 5.0it/s]".
//
// A record without a step takes that of the bar drawn last before it, since the bar is moved on before the record is
// printed. Excerpts often keep only the bar that is drawn behind the record, with the same step: where no bar, or only
// that of step 0, stands before the first record, a record waits for the line behind it. Evaluations and downloads
// have bars as well. The bar of training has no name, or one that says so, and the length of the bar that stood by the
// first loss; another length takes over only when none of the old one comes between two losses (another run).
// Limit: tqdm draws at most ten times a second, so the bar may lag by the steps of a tenth of a second.

#include "format/lines/engine.h"

namespace assay::lines {

void Engine::note_bar(const Meaning& meaning, const Token* tokens, std::size_t complete) {
  if (meaning.total_slot < 0 || static_cast<std::size_t>(meaning.total_slot) >= complete) return;
  const Bar bar{step_of(meaning, tokens, complete), tokens[meaning.total_slot].integer_or(0)};
  if (bar.step == kNoStep || bar.total <= 0) return;
  bars_.last = bar;
  if (bar.total == bars_.training.total) {
    bars_.training.step = bar.step;
    bars_.fresh = true;
  }
  if (bars_.waiting.active) settle_waiting(bar.step);
}

std::int64_t Engine::step_of_bar(bool loss) {
  if (!loss) return bars_.training.step;
  if (!bars_.fresh) bars_.training = bars_.last;
  bars_.fresh = false;
  if (bars_.place == Bars::Place::kUnknown && bars_.training.step > 0) bars_.place = Bars::Place::kBefore;
  if (bars_.place != Bars::Place::kBefore) return kNoStep;
  sink_.axis_of_bar();
  if (bars_.training.total > 0) planned_ = bars_.training.total;
  return bars_.training.step;
}

// The record that waited for a bar; step: what the bar said, or nothing.
void Engine::settle_waiting(std::int64_t step) {
  WaitingRow& waiting = bars_.waiting;
  if (!waiting.active) return;
  waiting.active = false;
  if (step != kNoStep && bars_.place == Bars::Place::kUnknown) {
    bars_.place = Bars::Place::kBehind;
    sink_.axis_of_bar();
  }
  sink_.row(waiting.family, step, waiting.line, waiting.rank, waiting.cells, waiting.text);
}

}  // namespace assay::lines
