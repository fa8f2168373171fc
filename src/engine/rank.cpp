// What to read first.
//
// Severity decides (it follows the harm done). Within one severity a cause stands before what it explains, whatever
// their scores: who mends the cause need not look at the effect. What tells why stands before its effect whatever
// their severities: a poor setting is only a warning, and the error that it made is of no use without it. Else the
// product of confidence and impact, then name and place, so that the order is the same on every machine. Findings that
// explain each other in a ring are a mistake of a rule; the ring is cut where it is entered.

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "engine/engine.h"

namespace assay {

namespace {

auto place_of(const Finding& finding) {
  const Location none;
  const Location& place = finding.where ? *finding.where : none;
  return std::make_tuple(place.path, place.steps ? place.steps->first : -1, place.line);
}

bool before(const Finding& a, const Finding& b) {
  if (a.severity != b.severity) return a.severity > b.severity;
  const double score_a = a.confidence * a.impact;
  const double score_b = b.confidence * b.impact;
  if (score_a != score_b) return score_a > score_b;
  if (a.confidence != b.confidence) return a.confidence > b.confidence;
  if (a.name != b.name) return a.name < b.name;
  return place_of(a) < place_of(b);
}

class CausesFirst {
 public:
  explicit CausesFirst(std::vector<Finding> sorted) : sorted_(std::move(sorted)), done_(sorted_.size()) {
    for (std::size_t i = 0; i < sorted_.size(); ++i) index_[sorted_[i].id] = i;
  }

  std::vector<Finding> ordered() && {
    for (std::size_t i = 0; i < sorted_.size(); ++i) place(i);
    std::vector<Finding> out;
    out.reserve(order_.size());
    for (const std::size_t i : order_) out.push_back(std::move(sorted_[i]));
    return out;
  }

 private:
  void place(std::size_t i) {
    if (done_[i]) return;
    done_[i] = true;
    for (const std::string& cause : sorted_[i].because_of) {
      const auto found = index_.find(cause);
      if (found == index_.end()) continue;
      const Finding& one = sorted_[found->second];
      if (one.severity == sorted_[i].severity || (one.severity != Severity::kNote && tells_why(one))) {
        place(found->second);
      }
    }
    order_.push_back(i);
  }

  std::vector<Finding> sorted_;
  std::vector<bool> done_;
  std::vector<std::size_t> order_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace

void give_ids(std::vector<Finding>& findings) {
  std::set<std::string> taken;
  for (const Finding& finding : findings) taken.insert(finding.id);
  for (Finding& finding : findings) {
    if (!finding.id.empty()) continue;
    const std::string path = finding.where ? finding.where->path : "";
    const std::string plain = finding.name + (path.empty() ? "" : "@" + path);
    finding.id = plain;
    for (int count = 2; !taken.insert(finding.id).second; ++count) finding.id = plain + "#" + std::to_string(count);
  }
}

void rank(std::vector<Finding>& findings) {
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Of equals the one that came first: the order of paths and of rules.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (before(findings[a], findings[b])) return true;
    return !before(findings[b], findings[a]) && a < b;
  });
  std::vector<Finding> sorted;
  sorted.reserve(findings.size());
  for (const std::size_t i : order) sorted.push_back(std::move(findings[i]));
  findings = std::move(sorted);
  give_ids(findings);
  findings = CausesFirst(std::move(findings)).ordered();
}

}  // namespace assay
