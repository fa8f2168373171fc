// What is asked of every document of a corpus: the survey, and each rule of documents, on clean prose in documents of
// 4 KiB. One thread, text in the cache of the processor's last level.
//
//   of_memory     the survey's speed as a share of reading the same bytes once, eight at a time
//   ns_per_byte   of all rules together, which have nothing to say; and of each rule, under its name
//
// English is words by chance from a small vocabulary with the frequencies of a real one, Chinese is common characters
// by chance with a mark each dozen: nothing repeats, as in text.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"
#include "rules/rule.h"
#include "timing.h"

namespace assay {
namespace {

constexpr std::size_t kDocument = 4096;
constexpr std::size_t kDocuments = 2048;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  // In [0, 1).
  double next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() * static_cast<double>(limit)); }

 private:
  std::uint64_t state_;
};

std::string english(Chance& chance) {
  static constexpr std::string_view kWords[] = {
      "the",     "of",      "and",      "to",      "in",      "is",      "that",      "it",       "for",     "was",
      "on",      "are",     "with",     "as",      "his",     "they",    "at",        "be",       "this",    "from",
      "have",    "or",      "by",       "one",     "had",     "not",     "but",       "what",     "all",     "were",
      "when",    "we",      "there",    "can",     "an",      "your",    "which",     "their",    "said",    "if",
      "do",      "will",    "each",     "about",   "how",     "up",      "out",       "them",     "then",    "she",
      "many",    "some",    "these",    "would",   "other",   "into",    "has",       "more",     "two",     "like",
      "him",     "see",     "time",     "could",   "make",    "than",    "first",     "been",     "its",     "who",
      "people",  "water",   "harbour",  "lamp",    "evening", "written", "between",   "nothing",  "several", "bridge",
      "morning", "country", "question", "against", "letter",  "number",  "following", "language", "reason",  "weather",
      "perhaps", "village", "machine",  "company", "history", "science", "mountain",  "picture",  "another", "because"};
  std::string out;
  while (out.size() < kDocument) {
    // Zipf: the n-th word is used as 1/n.
    const auto rank =
        static_cast<std::size_t>(std::exp(chance.next() * std::log(static_cast<double>(std::size(kWords)))));
    const std::string_view next = kWords[rank - 1];
    const bool first = out.empty() || out.back() == '\n' || (out.size() > 1 && out[out.size() - 2] == '.');
    out += first ? std::string(1, static_cast<char>(next[0] - 'a' + 'A')) + std::string(next.substr(1))
                 : std::string(next);
    out += chance.below(14) == 0 ? ". " : chance.below(10) == 0 ? ", " : chance.below(90) == 0 ? ".\n" : " ";
  }
  return out;
}

std::string chinese(Chance& chance) {
  static constexpr std::string_view kCharacters =
      "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定"
      "行学法所民得经十三之进着等部度家电力"
      "里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间"
      "样与关各重新线内数正心反你明看原又";
  std::string out;
  while (out.size() < kDocument) {
    out += kCharacters.substr(3 * chance.below(kCharacters.size() / 3), 3);
    if (chance.below(12) == 0) out += chance.below(3) == 0 ? "。" : "，";
    if (chance.below(150) == 0) out += "\n";
  }
  return out;
}

struct Texts {
  std::vector<std::string> documents;
  std::vector<TextSurvey> surveys;
  std::size_t bytes = 0;
};

Texts make(std::string (*one)(Chance&)) {
  Texts out;
  Chance chance(1);
  for (std::size_t i = 0; i < kDocuments; ++i) {
    out.documents.push_back(one(chance));
    out.bytes += out.documents.back().size();
    survey(out.documents.back(), out.surveys.emplace_back());
  }
  return out;
}

const Texts& texts(bool in_chinese) {
  static const Texts kEnglish = make(english);
  static const Texts kChinese = make(chinese);
  return in_chinese ? kChinese : kEnglish;
}

std::uint64_t read_once(const Texts& all) {
  std::uint64_t sum = 0;
  for (const std::string& document : all.documents) {
    for (std::size_t at = 0; at + 8 <= document.size(); at += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, document.data() + at, 8);
      sum += eight;
    }
  }
  return sum;
}

void tell(benchmark::State& state, const Texts& all, double seconds) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(all.bytes));
  state.counters["ns_per_byte"] = 1e9 * seconds / static_cast<double>(all.bytes);
}

void survey_of_documents(benchmark::State& state) {
  const Texts& all = texts(state.range(0) != 0);
  TextSurvey out;
  const auto work = [&] {
    for (const std::string& document : all.documents) survey(document, out);
    benchmark::DoNotOptimize(out);
  };
  for (auto _ : state) work();
  const double ours = seconds_of(work);
  tell(state, all, ours);
  state.counters["of_memory"] = seconds_of([&] { benchmark::DoNotOptimize(read_once(all)); }) / ours;
}
BENCHMARK(survey_of_documents)->ArgName("chinese")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

std::vector<const Rule*> document_rules() {
  std::vector<const Rule*> out;
  for (const Rule* rule : all_rules()) {
    if (rule->judge_documents != nullptr) out.push_back(rule);
  }
  return out;
}

std::size_t judge_all(DocumentJudge& judge, const Texts& all) {
  DocumentHits hits;
  std::size_t found = 0;
  for (std::size_t i = 0; i < all.documents.size(); ++i) {
    Document document;
    document.text = all.documents[i];
    hits.clear();
    judge.judge({document, all.surveys[i]}, hits);
    found += hits.found().size();
  }
  return found;
}

// One counter for each rule, and their sum.
void judge_documents(benchmark::State& state) {
  const Texts& all = texts(state.range(0) != 0);
  const auto ns_per_byte = [&](double seconds) { return 1e9 * seconds / static_cast<double>(all.bytes); };
  std::vector<std::unique_ptr<DocumentJudge>> judges;
  std::size_t found = 0;
  for (const Rule* rule : document_rules()) {
    judges.push_back(rule->judge_documents(Parameters(rule->parameters, {}, rule->name)));
    found += judge_all(*judges.back(), all);
    state.counters[std::string(rule->name)] =
        ns_per_byte(seconds_of([&] { benchmark::DoNotOptimize(judge_all(*judges.back(), all)); }));
  }
  const auto work = [&] {
    for (const auto& judge : judges) benchmark::DoNotOptimize(judge_all(*judge, all));
  };
  for (auto _ : state) work();
  if (found != 0) state.SetLabel(std::to_string(found) + " findings: the text is not clean");
  tell(state, all, seconds_of(work));
}
BENCHMARK(judge_documents)->ArgName("chinese")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
