// What each file of a run is to it.
//
// The file with the most values of the main series carries the run: whatever else tells the same metric less densely
// cannot show more of it. Parts are files that carry other stretches of steps; they are put in the order in which they
// were begun, where all tell it, else of their steps. The rest is taken for what it adds: the same series, other
// metrics, other ranks, messages.

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>

#include "assay/metric.h"
#include "engine/group.h"

namespace assay {

namespace {

class Roles {
 public:
  Roles(const Known& known, const std::vector<std::size_t>& files) : known_(known), files_(files) {
    std::sort(files_.begin(), files_.end(), [this](std::size_t a, std::size_t b) { return carries_more(a, b); });
  }

  std::vector<GroupMember> give() {
    for (const std::size_t i : files_) {
      const SourceRole role = role_of(i);
      (role == SourceRole::kPart ? parts_ : rest_).push_back({i, role});
    }
    // When a part was written tells its place better than its steps: a run may go back to where it began.
    const bool clocks = std::all_of(parts_.begin(), parts_.end(),
                                    [this](const GroupMember& part) { return file(part.file).started.has_value(); });
    std::sort(parts_.begin(), parts_.end(), [this, clocks](const GroupMember& a, const GroupMember& b) {
      const auto key = [this, clocks](const GroupMember& one) {
        const Fingerprint& print = file(one.file);
        return std::make_tuple(clocks ? *print.started : 0, print.steps.first, print.steps.last, std::cref(print.path));
      };
      return key(a) < key(b);
    });
    parts_.front().role = SourceRole::kMain;
    std::sort(rest_.begin(), rest_.end(), [this](const GroupMember& a, const GroupMember& b) {
      const auto key = [this](const GroupMember& one) {  // of one role, other kinds than the main file's first
        const bool alike = file(one.file).kind == file(parts_.front().file).kind;
        return std::make_tuple(one.role, alike, std::cref(file(one.file).path));
      };
      return key(a) < key(b);
    });
    parts_.insert(parts_.end(), rest_.begin(), rest_.end());
    return parts_;
  }

 private:
  const Fingerprint& file(std::size_t i) const { return known_.files[i]; }

  bool carries_more(std::size_t a, std::size_t b) const {
    const auto key = [this](std::size_t i) {
      const Fingerprint& one = file(i);
      const SampledSeries* main = one.series.empty() ? nullptr : &one.series.front();
      const bool loss = main != nullptr && main->metric == metric::kLoss;
      const auto folders = std::count(one.path.begin(), one.path.end(), '/');
      return std::make_tuple(!loss, one.stepless, main == nullptr ? 0 : -static_cast<std::int64_t>(main->size),
                             known_.layouts[i].rank, -one.steps.last, main == nullptr ? 0 : -main->quantum.digits,
                             -static_cast<std::int64_t>(one.metrics), folders, std::cref(one.path));
    };
    return key(a) < key(b);
  }

  SourceRole role_of(std::size_t i) const {
    if (parts_.empty()) return SourceRole::kPart;
    if (known_.layouts[i].role == SourceRole::kSummary) return SourceRole::kSummary;
    if (file(i).rows == 0) return SourceRole::kMessages;
    if (is_other_rank(i)) return SourceRole::kRank;
    if (is_copy(i)) return SourceRole::kSame;
    const Fingerprint& main = file(parts_.front().file);
    if (file(i).series.empty() || main.series.empty()) return SourceRole::kMore;
    if (file(i).series.front().metric != main.series.front().metric) return SourceRole::kMore;
    return is_part(i) ? SourceRole::kPart : SourceRole::kMore;
  }

  bool is_other_rank(std::size_t i) const {
    const Layout& own = known_.layouts[i];
    return own.rank >= 0 && std::any_of(parts_.begin(), parts_.end(), [&](const GroupMember& part) {
             const Layout& other = known_.layouts[part.file];
             return other.job == own.job && other.rank != own.rank;
           });
  }

  // Of a part, or of a copy of one: three digits are too few to tell from some files, and enough from others.
  bool is_copy(std::size_t i) const {
    const auto same = [&](const GroupMember& one) {
      return one.role != SourceRole::kMore && known_.same.has(one.file, i) && !goes_far_beyond(one.file, i);
    };
    return std::any_of(parts_.begin(), parts_.end(), same) || std::any_of(rest_.rbegin(), rest_.rend(), same) ||
           is_short_copy(i);
  }

  // The first checkpoints of a run hold too few values to prove anything; their place does, and nothing differs.
  bool is_short_copy(std::size_t i) const {
    const Layout& own = known_.layouts[i];
    return own.whole && std::any_of(parts_.begin(), parts_.end(), [&](const GroupMember& part) {
             if (known_.layouts[part.file].root != own.root || file(part.file).kind != file(i).kind) return false;
             if (file(i).series.empty()) return false;
             const SampledSeries* other = find(file(part.file), file(i).series.front().metric);
             if (other == nullptr) return false;
             const Agreement found = compare(file(i).series.front(), *other);
             return found.common > 0 && found.agree == found.common;
           });
  }

  // A copy of the beginning or end of a part that then goes on for longer than it repeats is a part of its own.
  bool goes_far_beyond(std::size_t part, std::size_t i) const {
    if (file(part).stepless || file(i).stepless) return false;
    const StepRange& own = file(i).steps;
    const StepRange& other = file(part).steps;
    const std::int64_t common = std::min(own.last, other.last) - std::max(own.first, other.first);
    return own.last - own.first > 2 * common + 2 * file(i).spacing;
  }

  bool is_part(std::size_t i) const {
    const StepRange& own = file(i).steps;
    return std::all_of(parts_.begin(), parts_.end(), [&](const GroupMember& part) {
      if (known_.parts.has(part.file, i)) return true;
      const Fingerprint& other_file = file(part.file);
      if (!file(i).run_id.empty() && file(i).run_id == other_file.run_id && file(i).kind == other_file.kind)
        return true;
      const Layout& layout = known_.layouts[part.file];
      if (layout.stem == known_.layouts[i].stem && is_event_file(layout, file(part.file))) return true;
      const StepRange& other = file(part.file).steps;
      const std::int64_t common = std::min(own.last, other.last) - std::max(own.first, other.first);
      return 2 * common <= std::min(own.last - own.first, other.last - other.first);
    });
  }

  const Known& known_;
  std::vector<std::size_t> files_;
  std::vector<GroupMember> parts_;
  std::vector<GroupMember> rest_;
};

}  // namespace

std::vector<GroupMember> give_roles(const Known& known, const std::vector<std::size_t>& files) {
  return Roles(known, files).give();
}

}  // namespace assay
