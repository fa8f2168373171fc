#pragma once
// Faults of one kind in one document, put together where they lie side by side: the places that a rule tells.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "rules/document_rule.h"

namespace assay {

/// Whether a place overlaps one that was told before.
inline bool is_told(const DocumentHits& out, std::size_t offset, std::size_t length) {
  return std::any_of(out.found().begin(), out.found().end(), [&](const DocumentHit& hit) {
    return offset < hit.offset + hit.length && hit.offset < offset + length;
  });
}

struct Cluster {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::size_t count = 0;  // faults in it
};

/// Bounded: keeps the heaviest places, and of the others their bytes.
class Clusters {
 public:
  /// Faults with at most `gap` bytes between them are one place.
  explicit Clusters(std::size_t gap) : gap_(gap) {}

  /// In the order of the text.
  void add(std::size_t offset, std::size_t length, std::size_t count = 1) {
    count_ += count;
    if (open_.length != 0 && offset <= open_.offset + open_.length + gap_) {
      open_.length = std::max(open_.length, offset + length - open_.offset);
      open_.count += count;
      return;
    }
    close();
    open_ = {offset, length, count};
  }
  std::size_t count() const { return count_; }

  /// The heaviest first; of equal ones the first; none that overlaps what was told before. No add after it.
  void tell(DocumentHits& out, Severity severity, double confidence, const Phrase& reason) {
    close();
    std::sort(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(size_), heavier);
    for (std::size_t i = 0; i < size_; ++i) {
      if (!is_told(out, kept_[i].offset, kept_[i].length))
        out.add({kept_[i].offset, kept_[i].length, severity, confidence, reason, {}});
    }
    if (size_ == kept_.size() && rest_ > 0) out.add({0, rest_, severity, confidence, {}, {}});
  }
  /// The heaviest one; count 0: none.
  Cluster heaviest() {
    close();
    return size_ == 0 ? Cluster{}
                      : *std::min_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(size_), heavier);
  }
  void clear() {
    open_ = {};
    size_ = 0;
    count_ = rest_ = 0;
  }

 private:
  static bool heavier(const Cluster& a, const Cluster& b) {
    return a.count != b.count ? a.count > b.count : a.offset < b.offset;
  }
  void close() {
    if (open_.length == 0) return;
    if (open_.count == 0) {  // nothing that proves anything
      open_ = {};
      return;
    }
    if (size_ < kept_.size()) {
      kept_[size_++] = open_;
    } else {
      const auto least = std::max_element(kept_.begin(), kept_.end(), heavier);
      if (heavier(open_, *least)) std::swap(*least, open_);
      rest_ += open_.length;
    }
    open_ = {};
  }

  std::size_t gap_;
  Cluster open_;
  std::array<Cluster, DocumentHits::kMost> kept_ = {};
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  std::size_t rest_ = 0;  // bytes of the places that are not kept
};

}  // namespace assay
