// How much of the corpus is abnormal, and when it is enough to matter.
//
// Two harms have two measures. Text that cannot be learned wastes what it costs: that follows the share of the text.
// A spike needs few documents, but together: 6,318 of OSCAR's records, runs of backslashes, brought BigScience's 104B
// run down, and OLMo 2 found its spikes in batches with many long repeats. So the number that counts is how many
// abnormal documents one optimizer step meets, when a step reads four million tokens as large runs do: at one and more,
// every step does.
//
// The limit of a warning is one document in a thousand: documents of some kilobytes then come up in nearly every step
// of four million tokens. A tenth of all text is an error: a tenth of the compute is spent on what is not language.
// Sources: knowledge of these runs as published (BigScience chronicles, OLMo 2 report §3).

#include <algorithm>
#include <cmath>

#include "measure/corpus.h"
#include "rules/rule.h"
#include "stat/share.h"

namespace assay {

namespace {

constexpr double kTokensOfStep = 4e6;
constexpr double kBytesOfToken = 4;  // of English in vocabularies of 32,000 to 128,000

const CorpusSource* worst_source(const CorpusFacts& facts) {
  const CorpusSource* worst = nullptr;
  const auto share = [](const CorpusSource& one) {
    return static_cast<double>(one.counts.abnormal_documents) /
           static_cast<double>(std::max<std::uint64_t>(1, one.counts.documents));
  };
  for (const CorpusSource& one : facts.sources) {
    if (one.counts.abnormal_documents > 0 && (worst == nullptr || share(one) > share(*worst))) worst = &one;
  }
  return worst;
}

void judge(const CorpusFacts& facts, const Parameters& set, Findings& out) {
  const TextCounts& all = facts.all;
  if (all.documents == 0) return out.not_applicable("nothing");
  const Share documents{static_cast<std::size_t>(all.abnormal_documents), static_cast<std::size_t>(all.documents)};
  const double text =
      static_cast<double>(all.abnormal_bytes) / static_cast<double>(std::max<std::uint64_t>(1, all.bytes));
  if (documents.value() < set["documents"]) return;
  const double of_step = kTokensOfStep * kBytesOfToken / std::max(1.0, static_cast<double>(all.bytes)) *
                         static_cast<double>(all.abnormal_documents);
  Finding finding;
  finding.severity = text >= set["text"] ? Severity::kError : Severity::kWarning;
  finding.confidence = 0.9;
  finding.impact = std::clamp(1 + std::log10(std::max(text, 1e-9)) / 6, 0.05, 1.0);
  Values values = {{"found", static_cast<std::int64_t>(all.abnormal_documents)},
                   {"all", static_cast<std::int64_t>(all.documents)},
                   {"share", Value(100 * documents.value(), Unit::kPercent)},
                   {"text", Value(100 * text, Unit::kPercent)}};
  if (facts.sample < 1) {
    values.emplace_back("low", Value(100 * documents.lower_bound(), Unit::kPercent));
    values.emplace_back("high", Value(100 * documents.upper_bound(), Unit::kPercent));
  }
  finding.message = {facts.sample < 1 ? "sampled" : "share", std::move(values)};
  finding.evidence.push_back(
      {{"step", {{"tokens", Value(kTokensOfStep, Unit::kTokens)}, {"count", Value(of_step)}}}, {}, {}});
  if (const CorpusSource* worst = worst_source(facts); worst != nullptr && facts.sources.size() > 1) {
    const Share of_source{static_cast<std::size_t>(worst->counts.abnormal_documents),
                          static_cast<std::size_t>(worst->counts.documents)};
    finding.evidence.push_back(
        {{"worst", {{"source", worst->name}, {"share", Value(100 * of_source.value(), Unit::kPercent)}}}, {}, {}});
    finding.where.emplace().path = worst->name;
  }
  finding.actions.push_back({{"do", {}}, "", ActionRole::kLookAtData});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kAbnormalShare;
const Rule kAbnormalShare{
    .name = "abnormal-share",
    .family = "data",
    .title_en = "abnormal text is a share of the corpus that matters",
    .title_zh = "异常文本在语料中的占比已足以影响训练",
    .scope = Scope::kCorpus,
    .severity = Severity::kWarning,
    .parameters = {{"documents", "of documents", 0.001, 0, 1,
                    "with documents of some kilobytes nearly every step of four million tokens then meets one"},
                   {"text", "of the text", 0.1, 0, 1, "a tenth of the compute is then spent on what is not language"}},
    .sentences =
        {{"share", "{found} of {all} documents are abnormal ({share}), {text} of the text",
          "{all} 篇文档中有 {found} 篇异常（{share}），占文本的 {text}"},
         {"sampled",
          "{found} of {all} documents in the sample are abnormal ({share}; of all, {low} to {high}), {text} of "
          "its text",
          "样本的 {all} 篇文档中有 {found} 篇异常（{share}；推及全体为 {low} 至 {high}），占样本文本的 {text}"},
         {"step", "an optimizer step that reads {tokens} (about 16 MB) meets {count} of them on average",
          "读取 {tokens}（约 16 MB）的一个优化器步平均会遇到其中 {count} 篇"},
         {"worst", "the worst source is {source}: {share} of its documents",
          "最严重的来源是 {source}：占其文档的 {share}"},
         {"do",
          "list them (--documents FILE), look at the worst kinds, and leave them out before the text is "
          "tokenised",
          "列出这些文档（--documents FILE），查看最严重的种类，并在分词前将其剔除"},
         {"nothing", "no document was read", "未读到文档"}},
    .docs = {.finds = "A share of abnormal documents, of whatever kind, that is large enough to matter.",
             .matters = "Abnormal text is tokenised without a word and comes back as a spike of the grad norm weeks "
                        "later, or is learned: models repeat what they have read often.",
             .decides = "Documents of which some rule of the data family says warning, against `documents`; the bytes "
                        "that these rules call no good, against `text` (then it is an error).",
             .example = "`4,210 of 1,250,000 documents are abnormal (0.3 %), 0.2 % of the text`",
             .to_do = "Look at the kinds in their order: it follows the harm, not the count.",
             .false_alarms = "A corpus made of such text (code, logs, base64 on purpose): ignore the kinds that you "
                             "want, with `--ignore`.",
             .references = "BigScience 104B chronicles (OSCAR's backslashes); OLMo 2, section on spikes and repeated "
                           "n-grams; PaLM, section 5.1."},
    .judge_corpus = judge};

}  // namespace assay
