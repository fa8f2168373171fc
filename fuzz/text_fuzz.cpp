// Any text as a document: every rule of documents judges it, and what it is made of is counted. Whatever the text is,
// nothing crashes, hits lie within it, and a judge that has seen other texts before says what a new one says.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "measure/text/nature.h"
#include "measure/text/survey.h"
#include "rules/rule.h"

namespace {

using assay::DocumentHit;

// As readers hand it over: bytes that are no UTF-8 stand as U+FFFD.
std::string utf8_of(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t size = assay::utf8_sequence(bytes);
    out += size > 0 ? bytes.substr(0, size) : "\xef\xbf\xbd";
    bytes.remove_prefix(size > 0 ? size : 1);
  }
  return out;
}

std::unique_ptr<assay::DocumentJudge> judge_of(const assay::Rule& rule) {
  return rule.judge_documents(assay::Parameters(rule.parameters, {}, rule.name));
}

struct Judged {
  const assay::Rule* rule;
  std::unique_ptr<assay::DocumentJudge> old;
};

std::vector<Judged>& judges() {
  static std::vector<Judged> all = [] {
    std::vector<Judged> out;
    for (const assay::Rule* rule : assay::all_rules()) {
      if (rule->judge_documents != nullptr) out.push_back({rule, judge_of(*rule)});
    }
    return out;
  }();
  return all;
}

bool same(const assay::DocumentHits& a, const assay::DocumentHits& b) {
  if (a.affected() != b.affected() || a.found().size() != b.found().size()) return false;
  for (std::size_t i = 0; i < a.found().size(); ++i) {
    const DocumentHit& x = a.found()[i];
    const DocumentHit& y = b.found()[i];
    if (x.offset != y.offset || x.length != y.length || x.severity != y.severity || x.repaired != y.repaired ||
        x.reason.key != y.reason.key) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = utf8_of({reinterpret_cast<const char*>(data), size});
  assay::Document document;
  document.text = text;
  assay::TextSurvey survey;
  assay::survey(text, survey);
  assay::DocumentHits hits, fresh;
  for (Judged& one : judges()) {
    hits.clear();
    one.old->judge({document, survey}, hits);
    for (const DocumentHit& hit : hits.found()) {
      if (hit.offset > text.size() || hit.length > text.size() - hit.offset) std::abort();
    }
    fresh.clear();
    judge_of(*one.rule)->judge({document, survey}, fresh);
    if (!same(hits, fresh)) std::abort();
  }
  assay::TextNature nature;
  assay::add_nature(text, survey, nature);
  for (const assay::NatureShare& share : nature.scripts.all()) {
    if (share.bytes > text.size()) std::abort();
  }
  return 0;
}
