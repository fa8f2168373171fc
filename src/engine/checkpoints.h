#pragma once
// Checkpoints that lie on disk, known by their names. Essay in checkpoints.cpp.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/run.h"
#include "engine/fingerprint.h"
#include "engine/group.h"

namespace assay {

struct Input;  // engine/engine.h

/// The step that the name of a file or folder tells, where it is one of a checkpoint: "iter_0001000", "checkpoint-500".
std::optional<std::int64_t> checkpoint_step(std::string_view name);

/// Collects checkpoints among the names that a walk comes across; bounded. Files are not opened, but for the two that
/// say in a word which checkpoint is the latest.
class CheckpointFinder {
 public:
  void see(const std::string& path, std::string_view name);
  std::vector<Checkpoint> take() { return std::move(found_); }

 private:
  std::vector<Checkpoint> found_;
};

/// Those beside a file that the user named: in its folder, and in folders below it that trainers save to.
void find_checkpoints_beside(const std::string& file, CheckpointFinder& finder);

/// Those on disk and those in archives, as far as members were looked at. One list for each group, by step: each
/// checkpoint goes to the run whose folder is nearest; where two are as near, to none. Groups of settings alone have
/// none.
std::vector<std::vector<Checkpoint>> checkpoints_of(std::span<const RunGroup> groups,
                                                    std::span<const Fingerprint> files, std::span<const Input> inputs,
                                                    const std::vector<Checkpoint>& on_disk);

}  // namespace assay
