// `check_corpus`: discover files, pass over them, conclude.

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "assay/corpus.h"
#include "base/progress.h"
#include "base/version.h"
#include "engine/corpus/conclude.h"
#include "engine/corpus/corpora.h"
#include "engine/corpus/pass.h"
#include "engine/engine.h"

namespace assay {

namespace {

constexpr std::string_view kEndings[] = {".jsonl", ".json", ".ndjson", ".parquet", ".arrow", ".idx"};
constexpr std::size_t kMostFilesAsSources = 64;  // more files than these are told by folder

bool is_of_corpus(const Rule& rule) { return rule.scope == Scope::kDocument || rule.scope == Scope::kCorpus; }

// A token file is read by way of its index: beside it, it is no file of its own.
void leave_out_halves(std::vector<Input>& inputs) {
  std::set<std::string> stems;
  for (const Input& one : inputs) {
    if (one.path.ends_with(".idx")) stems.insert(one.path.substr(0, one.path.size() - 4));
  }
  std::erase_if(inputs, [&](const Input& one) {
    return one.path.ends_with(".bin") && stems.contains(one.path.substr(0, one.path.size() - 4));
  });
}

// Files of other names are logs, settings or anything: nobody wants them opened twice.
bool may_be_corpus(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

std::string folder_of_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

struct Sources {
  std::vector<std::string> names;
  std::vector<std::size_t> of;  // of each input
};

Sources sources_of(const std::vector<Input>& inputs) {
  Sources out;
  std::map<std::string, std::size_t> known;
  for (const Input& one : inputs) {
    std::string name = inputs.size() > kMostFilesAsSources ? folder_of_path(one.path) : one.path;
    const auto [place, is_new] = known.emplace(name, out.names.size());
    if (is_new) out.names.push_back(std::move(name));
    out.of.push_back(place->second);
  }
  return out;
}

// The ledger of a file. In a folder, what is no corpus is passed over; a file that was named has to give something.
FileRecord record_of(const Input& input, PassFile& file) {
  FileRecord out = std::move(file.record);
  out.path = input.path;
  out.named = input.named;
  out.bytes = input.bytes;
  out.lines = static_cast<std::int64_t>(file.lines);
  out.records = static_cast<std::int64_t>(file.documents);
  out.unused_lines = static_cast<std::int64_t>(file.lost_lines);
  const bool gave = file.documents + file.lines > 0;
  // A shard may be empty; a file that somebody named may not.
  if (!out.error && !gave && input.named) out.error = Error{ErrorCode::kUnrecognised, "holds no document", {}, ""};
  if (!out.error) return out;
  if (out.error->where.path.empty()) out.error->where.path = input.path;
  if (gave) {
    out.truncated = out.error->code == ErrorCode::kTruncated;
    out.problems.push_back(std::move(*out.error));
    ++out.problem_count;
    out.error.reset();
  } else if (out.error->code == ErrorCode::kUnrecognised) {
    out.state = input.named ? FileState::kNothingRead : FileState::kUnknown;
  } else {
    out.state = FileState::kFailed;
  }
  return out;
}

CorpusSummary summary_of(const CorpusFacts& facts) {
  CorpusSummary out;
  out.lines = static_cast<std::int64_t>(facts.all.lines);
  out.documents = static_cast<std::int64_t>(facts.all.documents);
  out.bytes = static_cast<std::int64_t>(facts.all.bytes);
  out.lost_lines = static_cast<std::int64_t>(facts.all.lost_lines);
  out.abnormal_documents = static_cast<std::int64_t>(facts.all.abnormal_documents);
  out.abnormal_bytes = static_cast<std::int64_t>(facts.all.abnormal_bytes);
  out.sample = facts.sample;
  return out;
}

double warned_share(const std::map<std::string, double>& set) {
  const Rule* rule = find_rule("abnormal-share");
  return Parameters(rule->parameters, set, rule->name)["documents"];
}

}  // namespace

CorpusPart judge_corpora(const std::vector<Input>& inputs, const std::vector<const Rule*>& rules,
                         const CorpusOptions& options) {
  std::vector<const Rule*> wanted = rules;
  std::erase_if(wanted, [&](const Rule* rule) { return names(options.ignore, *rule); });
  const DocumentRules documents(wanted, options.parameters);
  Sources sources = sources_of(inputs);
  PassOutcome pass = pass_over(inputs, sources.of, sources.names.size(), documents, options);

  CorpusFacts facts;
  facts.sample = options.sample;
  for (const Rule* rule : documents.rules()) facts.rules.push_back(rule->name);
  facts.all.kinds.resize(facts.rules.size());
  for (std::size_t i = 0; i < pass.sources.size(); ++i) {
    facts.all.add(pass.sources[i]);
    facts.sources.push_back({std::move(sources.names[i]), std::move(pass.sources[i])});
  }

  CorpusPart out;
  out.summary = summary_of(facts);
  for (std::size_t i = 0; i < pass.files.size(); ++i) out.files.push_back(record_of(inputs[i], pass.files[i]));
  CheckOptions check;
  check.parameters = options.parameters;
  out.judgement = judge_corpus(facts, rules, check);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i]->scope == Scope::kDocument && facts.all.lines == 0) out.judgement.not_applied[i].emplace();
  }
  std::vector<Finding> kinds = kind_findings(facts, documents, pass.examples, warned_share(options.parameters));
  std::move(kinds.begin(), kinds.end(), std::back_inserter(out.judgement.findings));
  out.sections = corpus_sections(facts, documents);
  return out;
}

void add_corpora(CorpusPart part, const std::vector<const Rule*>& rules, RuleTally& tally, Report& report) {
  report.corpus = part.summary;
  std::move(part.files.begin(), part.files.end(), std::back_inserter(report.files));
  std::move(part.sections.begin(), part.sections.end(), std::back_inserter(report.sections));
  tally.add(rules, Scope::kDocument, part.judgement, report.findings);
  part.judgement.findings.clear();  // they are in the report
  tally.add(rules, Scope::kCorpus, part.judgement, report.findings);
}

std::vector<Input> take_corpora(std::vector<Input>& inputs) {
  leave_out_halves(inputs);
  std::vector<Input> corpora;
  std::vector<Input> others;
  for (Input& one : inputs) {
    const bool file = !one.error && !one.stream && one.archive.empty();
    (file && may_be_corpus(one.path) && is_corpus(one.path) ? corpora : others).push_back(std::move(one));
  }
  inputs = std::move(others);
  return corpora;
}

Result<Report> check_corpus(const std::vector<std::string>& paths, const CorpusOptions& options) {
  if (!(options.sample > 0 && options.sample <= 1)) {
    return fail(ErrorCode::kUsage, "a sample is a share above 0 and at most 1");
  }
  CheckOptions check;
  check.select = options.select;
  check.ignore = options.ignore;
  check.parameters = options.parameters;
  std::vector<const Rule*> rules = ASSAY_TRY(plan(check));
  std::erase_if(rules, [](const Rule* rule) { return !is_of_corpus(*rule) && rule->scope != Scope::kReading; });
  if (std::none_of(rules.begin(), rules.end(), [](const Rule* rule) { return is_of_corpus(*rule); })) {
    return fail(ErrorCode::kUsage, "none of the rules that were selected judges a corpus", {},
                "'assay rules' lists them: those of the family data do");
  }

  Discovery discovery = discover(paths, options.interrupted);
  leave_out_halves(discovery.inputs);
  if (options.progress != nullptr) {
    for (const Input& input : discovery.inputs) options.progress->bytes_total += input.bytes;
    options.progress->files_total += static_cast<std::int64_t>(discovery.inputs.size());
  }

  Report report;
  report.tool_version = version();
  report.arguments = paths;
  add_thresholds(check, report);
  RuleTally tally(rules.size());
  add_corpora(judge_corpora(discovery.inputs, rules, options), rules, tally, report);
  report.complete = options.interrupted == nullptr || !options.interrupted->load();
  if (report.complete) add_empty_folders(paths, discovery, discovery.inputs, "documents", report);
  judge_the_reading(rules, check, tally, report);
  // What was ignored was not looked for: only that it was is told.
  for (const std::string& name : options.ignore) report.ignored.push_back({name, 0});
  rank(report.findings);
  tally.conclude(rules, check, report);
  add_rule_records(rules, kind_sentences(), report);
  return report;
}

}  // namespace assay
