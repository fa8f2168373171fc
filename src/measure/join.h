#pragma once
// One run from the recordings of its files. Essay in join.cpp.

#include <vector>

#include "assay/run.h"
#include "core/recording.h"

namespace assay {

struct JoinMember {
  Recording recording;
  SourceRole role = SourceRole::kMain;
};

/// members: the parts in their order (kMain, then kPart), then what is beside them, settings last and the nearest
/// first; at least one. Columns and settings move into the run; the ledgers (Recording::file) stay and are completed.
/// A single recording gives what assemble() gives of it.
Run join(std::vector<JoinMember>& members);

// --- its steps ---

/// Appends a run that goes on behind the end of the other: in the same segment where nothing lies between, else as a
/// part of its own.
void append_part(Run& run, Run next);

/// Adds to the run what a file beside it tells: metrics that it lacks and, of the same series, what lies before or
/// behind its own records; remembers where the file has each step. source: its index in Run::sources.
void add_beside(Run& run, Run beside, SourceRole role, std::size_t source);

/// Adds the messages that the run does not tell itself, at the records that they stand at.
void add_messages(Run& run, const Run& beside, std::vector<Event> events);

/// Gives records without a step those of the run, by the order of the values of the main series.
void take_steps(const Run& run, Run& beside);

}  // namespace assay
