#pragma once
// Which records of a file are kept, on what step, in which part of the run.
//
// A file holds records in the order in which they were written, which is not the order of one training run: eight ranks
// print the same step, a slow rank prints an old one late, a resumed job goes back a thousand steps, a second run is
// appended, an evaluation line counts on another axis, an epoch starts the counter again. The plan sorts this out on
// the step column alone, before any value is moved.
//
// Key rows are the records of training itself (they hold a loss, or a companion of it printed by a statement whose
// steps agree with the loss's). Only key rows can start a new segment; the step of any other row is clamped between its
// neighbours.
//   * a key row that goes back and repeats the values of a row just read: a repeat (other rank, doubled console),
//   dropped;
//   * one that goes back while the next goes on beyond: a straggler of another rank, dropped;
//   * one that goes back while the epoch goes up: the counter restarts at each epoch; steps are counted through, by the
//   length of an epoch where the lines tell it; likewise where parts are epochs by their steps and losses
//   (untold_epochs.cpp);
//   * any other that goes back: a restart; a new segment begins with it (and with the rows before it that belong to
//   it).
// Limits: ranks that print different values without a mark, more than kMemory rows late, look like a restart.

#include <cstdint>
#include <string>
#include <vector>

#include "core/recording.h"

namespace assay {

struct RowPlan {
  IntegerColumn step;      // for each row of the recording; non-decreasing over the kept rows of a segment
  std::vector<bool> keep;  // for each row
  /// Rows whose value of a series (by its index in the recording) repeats what another statement printed for the same
  /// step, while the row itself brings more and is kept. Rising.
  std::vector<std::vector<std::size_t>> repeated_values;
  std::vector<std::size_t> segment_start;  // first row of each segment; the first is 0
  bool numbered = false;                   // the file prints no step for its loss: records are numbered
  std::string epoch_axis;                  // the epoch counts the records, under this name
  bool step_printed = false;               // it prints one, which does not count up: numbered all the same
  bool counted_through_epochs = false;
  std::int64_t rank = kNoRank;  // whose lines stand for those of all; kNoRank where none is marked
  std::int64_t repeats = 0;
  std::int64_t stragglers = 0;
};

RowPlan plan_rows(const Recording& recording);

}  // namespace assay
