// Every rule fires on its bad logs, with the severity and steps that stand beside them, and is silent on its good ones:
// tests/rules/RULE/{bad*,good*}. Beside bad.log stands bad.expect.json:
//   {"severity": "warning", "steps": [30, 34], "also": 2, "message": "…", "ignore": ["other-rule"]}
// Only the severity has to be there; `also` says how many further places, `do` the command of one of the actions,
// `ignore` is how assay is called. The files go the whole way: read, assembled, judged by all rules. A message may name
// the file as bad.log. Fixtures of rules of a corpus are JSON lines; `documents` are then the ids that the rule has to
// flag, all of them and no other, in their order.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/check.h"
#include "assay/corpus.h"
#include "rules/rule.h"

namespace assay {

namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(ASSAY_SOURCE_DIR) / "tests" / "rules";

std::vector<fs::path> files_of(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && !name.ends_with(".expect.json")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool judges_corpora(std::string_view rule) {
  const Scope scope = find_rule(rule)->scope;
  return scope == Scope::kDocument || scope == Scope::kCorpus;
}

// The ids of documents of which a rule says more than a note.
class FlaggedBy final : public FlaggedSink {
 public:
  explicit FlaggedBy(std::string_view rule) : rule_(rule) {}
  void take(const FlaggedDocument& document) override {
    const bool flagged =
        std::any_of(document.findings.begin(), document.findings.end(),
                    [&](const DocumentFinding& one) { return one.name == rule_ && one.severity != Severity::kNote; });
    if (flagged) ids.push_back(nlohmann::json::parse(document.id.empty() ? "null" : document.id));
  }
  nlohmann::json ids = nlohmann::json::array();

 private:
  std::string_view rule_;
};

nlohmann::json flagged_in(std::string_view rule, const fs::path& file) {
  FlaggedBy flagged(rule);
  CorpusOptions options;
  options.flagged = &flagged;
  EXPECT_TRUE(check_corpus({file.string()}, options)) << file;
  return flagged.ids;
}

std::vector<Finding> findings_of(std::string_view rule, const fs::path& file, const CheckOptions& options = {}) {
  CorpusOptions corpus;
  corpus.ignore = options.ignore;
  const auto report = judges_corpora(rule) ? check_corpus({file.string()}, corpus) : check({file.string()}, options);
  EXPECT_TRUE(report) << file;
  std::vector<Finding> out;
  if (!report) return out;
  std::copy_if(report->findings.begin(), report->findings.end(), std::back_inserter(out),
               [&](const Finding& one) { return one.name == rule; });
  return out;
}

nlohmann::json expectation_of(const fs::path& bad) {
  fs::path path = bad;
  path.replace_extension(".expect.json");
  std::ifstream in(path);
  EXPECT_TRUE(in) << "no " << path;
  return nlohmann::json::parse(in, nullptr, false);
}

std::string message_of(const Finding& finding, const fs::path& file) {
  std::string out = "no sentence";
  for (const SentenceRecord& one : find_rule(finding.name)->sentences) {
    if (one.key == finding.message.key) {
      out = fill({std::string(one.en), std::string(one.zh)}, finding.message.values, Language::kEnglish);
    }
  }
  const std::string path = file.string();
  for (std::size_t at = out.find(path); at != std::string::npos; at = out.find(path, at)) {
    out.replace(at, path.size(), file.filename().string());
  }
  return out;
}

bool as_expected(const Finding& finding, const nlohmann::json& wanted, const fs::path& file) {
  if (name(finding.severity) != wanted.value("severity", "")) return false;
  if (wanted.contains("message") && message_of(finding, file) != wanted["message"].get<std::string>()) return false;
  if (wanted.contains("do") && std::ranges::none_of(finding.actions, [&](const Action& one) {
        return one.command == wanted["do"].get<std::string>();
      })) {
    return false;
  }
  if (wanted.contains("also") && finding.also.size() != wanted["also"].get<std::size_t>()) return false;
  if (!wanted.contains("steps")) return true;
  if (!finding.where || !finding.where->steps) return false;
  return finding.where->steps->first == wanted["steps"][0] && finding.where->steps->last == wanted["steps"][1];
}

std::string told(const std::vector<Finding>& findings, const fs::path& file) {
  std::string out;
  for (const Finding& one : findings) {
    out += std::string(name(one.severity)) + " " + one.name + ": " + message_of(one, file);
    if (one.where && one.where->steps) {
      out += " [" + std::to_string(one.where->steps->first) + ", " + std::to_string(one.where->steps->last) + "]";
    }
    out += " also " + std::to_string(one.also.size()) + "\n";
  }
  return out;
}

TEST(RuleFixtures, FoldersBelongToRules) {
  for (const auto& entry : fs::directory_iterator(kFixtures)) {
    if (!entry.is_directory()) continue;
    EXPECT_NE(find_rule(entry.path().filename().string()), nullptr) << entry.path() << " has no rule";
  }
}

class RuleFixtures : public testing::TestWithParam<const Rule*> {};

TEST_P(RuleFixtures, BadFiresGoodIsSilent) {
  const Rule& rule = *GetParam();
  const fs::path folder = kFixtures / std::string(rule.name);
  const auto bad = files_of(folder, "bad");
  const auto good = files_of(folder, "good");
  EXPECT_FALSE(bad.empty()) << folder << " holds no bad*";
  EXPECT_FALSE(good.empty()) << folder << " holds no good*";
  for (const fs::path& file : bad) {
    const nlohmann::json wanted = expectation_of(file);
    ASSERT_TRUE(wanted.is_object()) << file;
    CheckOptions options;
    options.ignore = wanted.value("ignore", std::vector<std::string>());
    const auto found = findings_of(rule.name, file, options);
    EXPECT_TRUE(
        std::any_of(found.begin(), found.end(), [&](const Finding& one) { return as_expected(one, wanted, file); }))
        << file << "\nwanted " << wanted.dump() << "\nfound " << told(found, file);
    if (wanted.contains("documents")) {
      EXPECT_EQ(wanted["documents"], flagged_in(rule.name, file)) << file;
    }
  }
  for (const fs::path& file : good) {
    auto found = findings_of(rule.name, file);
    // A note is allowed where the rule's usual word is louder: it says that there was nothing to do.
    std::erase_if(
        found, [&](const Finding& one) { return one.severity == Severity::kNote && rule.severity != Severity::kNote; });
    EXPECT_TRUE(found.empty()) << file << "\nfound " << told(found, file);
  }
}

TEST_P(RuleFixtures, SaysWhatItDoesAndWhy) {
  const Rule& rule = *GetParam();
  EXPECT_FALSE(rule.title_en.empty() || rule.title_zh.empty());
  for (const std::string_view text : {rule.docs.finds, rule.docs.matters, rule.docs.decides, rule.docs.to_do}) {
    EXPECT_FALSE(text.empty());
  }
  for (const Parameter& one : rule.parameters) EXPECT_FALSE(one.reason.empty()) << one.name;
  EXPECT_EQ(rule.scope == Scope::kDocument, rule.harm.weight > 0);
  EXPECT_EQ(rule.scope == Scope::kDocument, !rule.harm.reason.empty());
  EXPECT_LE(rule.harm.weight, 1);
  const bool tells_what_to_do = std::any_of(rule.sentences.begin(), rule.sentences.end(),
                                            [](const SentenceRecord& one) { return one.key == "do"; });
  EXPECT_TRUE(tells_what_to_do || rule.scope != Scope::kDocument);
}

std::string test_name(const testing::TestParamInfo<const Rule*>& one) {
  std::string out(one.param->name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, RuleFixtures, testing::ValuesIn(all_rules().begin(), all_rules().end()), test_name);

}  // namespace

}  // namespace assay
