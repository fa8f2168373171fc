#pragma once
// Which files are of one run. Essay in group.cpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/run.h"
#include "engine/fingerprint.h"
#include "engine/layout.h"

namespace assay {

struct GroupMember {
  std::size_t file = 0;  // index into the fingerprints
  SourceRole role = SourceRole::kMain;
  friend bool operator==(const GroupMember&, const GroupMember&) = default;
};

/// The files of one run: its parts in their order (the first is kMain), what belongs to them, its settings from the
/// nearest on. Files of settings that no run was found for are groups of their own: plans.
struct RunGroup {
  std::vector<GroupMember> members;
};

/// Settings that are of one of several runs, nothing tells of which: they went to none.
struct LooseSettings {
  std::size_t file = 0;
  std::int64_t runs = 0;
};

/// Settings that were read and went to no run, for what was seen or where they lie.
struct UnusedSettings {
  std::size_t file = 0;
  std::string why;  // a sentence without a final stop
};

struct Grouping {
  std::vector<RunGroup> groups;  // in the order of their first file with records
  std::vector<LooseSettings> loose;
  std::vector<UnusedSettings> unused;
};

/// Each file with records or settings is in exactly one group, but for settings that several plans name. Depends on the
/// fingerprints alone, not on their order except where nothing else tells two apart. O(n log n).
Grouping group_files(std::span<const Fingerprint> files);

// --- its parts, for tests and for each other ---

/// Sets of files; the number of a set is the least file in it.
class FileSets {
 public:
  explicit FileSets(std::size_t files);
  std::size_t set_of(std::size_t file) const;
  void unite(std::size_t a, std::size_t b);

 private:
  mutable std::vector<std::size_t> above_;
};

/// Pairs of files, sought by either.
class FilePairs {
 public:
  /// The order of the two stays: of parts, the first goes before the second.
  void add(std::size_t a, std::size_t b) { pairs_.emplace_back(a, b); }
  void sort();
  bool has(std::size_t a, std::size_t b) const;  // in either order
  const std::vector<std::pair<std::size_t, std::size_t>>& all() const { return pairs_; }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

/// What is known of the files when roles are given.
struct Known {
  std::span<const Fingerprint> files;
  std::span<const Layout> layouts;
  FilePairs same;   // hold the same series
  FilePairs parts;  // one goes on where the other was
};

/// Files that hold the same numbers: copies.cpp.
void find_copies(std::span<const Fingerprint> files, FilePairs& same);

/// Files that go on where others were: continuations.cpp.
void find_continuations(std::span<const Fingerprint> files, std::span<const Layout> layouts, FilePairs& parts);

/// Nothing that both tell speaks against one run: settings, learning rates, planned steps.
bool may_be_one_run(const Fingerprint& a, const Fingerprint& b);

/// One of the two is the mean of the other over the steps since its last record: averages.cpp.
bool averages(const SampledSeries& a, const SampledSeries& b);

/// A setting that tells runs apart has no value in common.
bool says_other(const Fingerprint& a, const Fingerprint& b);

/// TensorBoard's: those of one folder are of one run.
bool is_event_file(const Layout& layout, const Fingerprint& file);

/// Roles of the files of one run, in the order of RunGroup: roles.cpp.
std::vector<GroupMember> give_roles(const Known& known, const std::vector<std::size_t>& files);

/// Joins files of settings that no run took and that describe one run that has not begun: plans.cpp.
void join_plans(const Known& known, Grouping& grouping);

/// Adds files of settings to the groups of runs: settings_of_runs.cpp.
void attach_settings(const Known& known, Grouping& grouping);

}  // namespace assay
