// Files that hold the same numbers.
//
// Each with each would be n² comparisons. Instead the points of all samples are sorted by metric, step and value;
// files that agree stand side by side there. Pairs that do so at three steps are compared in full. A value that many
// files share (the loss before the first step, of a hundred runs with one seed) costs no more than any other, because
// only the next few in the order make pairs; of a hundred true copies each is next to another, and the sets do the
// rest.

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "assay/metric.h"
#include "engine/group.h"

namespace assay {

namespace {

constexpr std::size_t kNeighbours = 2;
constexpr std::size_t kFewFiles = 500;  // all points of their samples are sorted
constexpr std::size_t kManyFiles = 5000;
constexpr std::size_t kPointsOfSome = 48;  // else these
constexpr std::size_t kPointsOfMany = 24;
constexpr std::size_t kHits = 3;

struct Entry {
  std::size_t metric = 0;
  std::int64_t key = 0;  // step, or the number of the value
  double value = 0;
  std::size_t file = 0;
  const SampledSeries* series = nullptr;
};

// Agreement at so coarse a resolution would prove nothing.
bool far(double a, double b) { return b - a > kSeedsApart * std::max(std::fabs(a), std::fabs(b)); }

class Copies {
 public:
  explicit Copies(std::span<const Fingerprint> files) : files_(files) {
    for (const Fingerprint& one : files) {
      for (const SampledSeries& series : one.series) metrics_.push_back(series.metric);
    }
    std::sort(metrics_.begin(), metrics_.end());
    metrics_.erase(std::unique(metrics_.begin(), metrics_.end()), metrics_.end());
  }

  void find(bool by_ordinal, FilePairs& same) {
    std::vector<Entry> entries = points(by_ordinal);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.metric, a.key, a.value, a.file) < std::tie(b.metric, b.key, b.value, b.file);
    });
    std::vector<std::pair<std::size_t, std::size_t>> hits;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (std::size_t j = i + 1; j < std::min(entries.size(), i + 1 + kNeighbours); ++j) {
        const Entry& a = entries[i];
        const Entry& b = entries[j];
        if (a.metric != b.metric || a.key != b.key || far(a.value, b.value)) break;
        if (b.value - a.value > resolution(*a.series, a.value, *b.series, b.value) * (1 + 1e-6)) continue;
        hits.emplace_back(std::min(a.file, b.file), std::max(a.file, b.file));
      }
    }
    std::sort(hits.begin(), hits.end());
    for (std::size_t i = 0; i < hits.size();) {
      std::size_t end = i;
      while (end < hits.size() && hits[end] == hits[i]) ++end;
      const auto [a, b] = hits[i];
      const bool wanted = !by_ordinal || files_[a].stepless || files_[b].stepless;
      if (a != b && end - i >= kHits && wanted && same_numbers(a, b, by_ordinal)) same.add(a, b);
      i = end;
    }
  }

 private:
  std::vector<Entry> points(bool by_ordinal) const {
    const std::size_t most = files_.size() <= kFewFiles    ? SIZE_MAX
                             : files_.size() <= kManyFiles ? kPointsOfSome
                                                           : kPointsOfMany;
    std::vector<Entry> out;
    for (std::size_t file = 0; file < files_.size(); ++file) {
      for (const SampledSeries& series : files_[file].series) {
        const auto at = std::lower_bound(metrics_.begin(), metrics_.end(), series.metric);
        const auto metric = static_cast<std::size_t>(at - metrics_.begin());
        for (const auto& point : shared_points(series, most)) {
          if (!std::isfinite(point.value)) continue;
          if (by_ordinal && point.ordinal > 64) continue;  // the first ones are in every sample
          out.push_back({metric, by_ordinal ? point.ordinal : point.step, point.value, file, &series});
        }
      }
    }
    return out;
  }

  // One metric shows it, and no loss says that it is not so. A grad norm may differ: before and after clipping.
  bool same_numbers(std::size_t a, std::size_t b, bool by_ordinal) const {
    bool same = false;
    if (says_other(files_[a], files_[b])) return false;  // a sweep with one seed agrees for some steps
    for (const SampledSeries& one : files_[a].series) {
      const SampledSeries* other = assay::find(files_[b], one.metric);
      if (other == nullptr) continue;
      const Agreement found = compare(one, *other, by_ordinal);
      const bool restarted = files_[a].goes_back || files_[b].goes_back;
      if (one.metric != metric::kGradNorm && (found.parted() || (found.gross > 0 && !restarted))) return false;
      same = same || found.same();
    }
    return same;
  }

  std::span<const Fingerprint> files_;
  std::vector<std::string> metrics_;
};

}  // namespace

void find_copies(std::span<const Fingerprint> files, FilePairs& same) {
  Copies copies(files);
  copies.find(false, same);
  const bool stepless =
      std::any_of(files.begin(), files.end(), [](const Fingerprint& one) { return one.stepless && one.rows > 0; });
  if (stepless) copies.find(true, same);
  same.sort();
}

}  // namespace assay
