// A probe's tests one by one, and one answer from all of them.

#include "study/unit_identify.h"

#include <utility>
#include <vector>

#include "study/float_words.h"
#include "study/unit_findings.h"

namespace assay {

namespace {

Text answer_of(const ProbeFile& file, const std::vector<UnitFinding>& findings) {
  if (findings.size() == 1) return findings.front().sentence;
  Text out;
  for (const UnitFinding& one : findings) {
    out.en += (out.en.empty() ? "" : "; ") + one.brief.en;
    out.zh += (out.zh.empty() ? "" : "；") + one.brief.in(Language::kChinese);
  }
  for (const auto& [key, value] : file.keys) {
    if (key != "device") continue;
    out.en.insert(0, value + ": ");
    out.zh.insert(0, value + "：");
    break;
  }
  return out;
}

}  // namespace

Result<Report> unit_identify(const UnitIdentify& question) {
  const ProbeFile file = ASSAY_TRY(read_probe_file(question.file));
  std::vector<UnitFinding> findings;
  for (const ProbeSection& section : file.sections) {
    if (section.kind != "matmul") continue;
    findings.push_back(ASSAY_TRY(matmul_finding(file, section, question.jobs)));
    Section& told = findings.back().section;
    if (!file.plain) told.title = both(std::string(section.key("name")));
  }
  if (findings.empty()) {
    Location where;
    where.path = file.path;
    return fail(ErrorCode::kUnrecognised, "has no test that is known", std::move(where));
  }
  Report out = study_report("unit identify", {question.file}, answer_of(file, findings));
  for (UnitFinding& one : findings) {
    if (findings.size() > 1) {
      Text told = one.sentence;
      add_line(told, one.section.text);
      one.section.text = std::move(told);
    }
    out.sections.push_back(std::move(one.section));
  }
  return out;
}

}  // namespace assay
