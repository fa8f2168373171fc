// The rules that judge encodings and characters, on clean text in the scripts of the world and on text that is broken
// from end to end, on one thread.
//
//   of_memory   our speed as a share of reading the same bytes in memory once (eight at a time)
//
// The text is words of a language by formula, in documents of 4 kB; what the survey costs is not counted.

#include <benchmark/benchmark.h>

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

constexpr std::size_t kSize = std::size_t{8} << 20;
constexpr std::size_t kDocument = 4096;

constexpr std::string_view kEnglish =
    "the of and model in that quality language with because data training is a which corpus from people’s between "
    "reports";
constexpr std::string_view kFrench =
    "le de été forêt où garçon mangé près crêpes que dans chèvres à la même élève une après très déjà voilà pour naïve "
    "être";
constexpr std::string_view kRussian =
    "и в осенью дети собирали грибы лесу вечером бабушка варила суп из них что это который было года работа день между";
constexpr std::string_view kArabic =
    "في من على الأطفال كانت الغابة المساء الخريف هذا التي كان إلى عن مع بين يوم عام بعد قبل كل أو حتى هناك العمل الناس";
constexpr std::string_view kChinese =
    "的时候， 孩子们 到树林里 采蘑菇， 晚上 大家 一起 喝汤。 语言 模型 在训练 之前 要看 数据 是否 正常， 这个 问题 "
    "很重要。 我们";
constexpr std::string_view kJapanese =
    "秋に なると 子どもたちは 森で キノコを 集め、 夜には スープを 作りました。 データの 品質が モデルの 学習に 影響 "
    "します。";

// Words at random; ideographs and kana without blanks.
std::string text_of(std::string_view words, bool blanks) {
  std::vector<std::string_view> each;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    each.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  std::string out;
  std::uint64_t state = 1;
  while (out.size() < kSize) {
    state = state * 6364136223846793005 + 1442695040888963407;
    out += each[(state >> 33) % each.size()];
    if (blanks) out += (state >> 20) % 13 == 0 ? ". " : " ";
    if ((state >> 10) % 97 == 0) out += '\n';
  }
  return out;
}

// The bytes above ASCII taken for letters of Latin-1.
std::string misread(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kSize / 2)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out.push_back(c);
    } else {
      out.push_back(static_cast<char>(static_cast<unsigned char>(0xc0 | byte >> 6)));
      out.push_back(static_cast<char>(static_cast<unsigned char>(0x80 | (byte & 0x3f))));
    }
  }
  return out;
}

struct Surveyed {
  std::string text;
  std::vector<std::string_view> documents;
  std::vector<TextSurvey> surveys;
  explicit Surveyed(std::string whole) : text(std::move(whole)) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(at + kDocument, text.size());
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
      documents.push_back(std::string_view(text).substr(at, end - at));
      survey(documents.back(), surveys.emplace_back());
      at = end;
    }
  }
};

double memory_seconds(std::string_view text) {
  return seconds_of([&] {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + 8 <= text.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, 8);
      sum += word;
    }
    benchmark::DoNotOptimize(sum);
  });
}

constexpr const char* kRules[] = {"mojibake",           "replacement-characters", "binary-text", "bytecode",
                                  "control-characters", "invisible-characters",   "digits-only", "pdf-residue",
                                  "empty-document"};

void judge_all(const Surveyed& corpus, const std::vector<std::unique_ptr<DocumentJudge>>& judges) {
  DocumentHits hits;
  for (std::size_t i = 0; i < corpus.documents.size(); ++i) {
    Document document;
    document.text = corpus.documents[i];
    for (const auto& judge : judges) {
      hits.clear();
      judge->judge({document, corpus.surveys[i]}, hits);
      benchmark::DoNotOptimize(hits.affected());
    }
  }
}

void measure(benchmark::State& state, const Surveyed& corpus, const std::vector<const char*>& rules) {
  std::vector<std::unique_ptr<DocumentJudge>> judges;
  for (const char* name : rules) {
    const Rule& rule = *find_rule(name);
    judges.push_back(rule.judge_documents(Parameters(rule.parameters, {}, rule.name)));
  }
  judge_all(corpus, judges);  // tables are built
  const double memory = memory_seconds(corpus.text);
  double best = 1e9;
  for (auto _ : state) {
    const double start = processor_seconds();
    judge_all(corpus, judges);
    best = std::min(best, processor_seconds() - start);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(corpus.text.size()));
  state.counters["of_memory"] = memory / best;
  state.counters["ns_byte"] = 1e9 * best / static_cast<double>(corpus.text.size());
}

struct Language {
  const char* name;
  std::string_view words;
  bool blanks;
};
constexpr Language kLanguages[] = {{"english", kEnglish, true},  {"french", kFrench, true},
                                   {"russian", kRussian, true},  {"arabic", kArabic, true},
                                   {"chinese", kChinese, false}, {"japanese", kJapanese, false}};

const bool kRegistered = [] {
  for (const Language& language : kLanguages) {
    const auto run = [language](benchmark::State& state, const std::vector<const char*>& rules, bool broken) {
      const std::string text = text_of(language.words, language.blanks);
      measure(state, Surveyed(broken ? misread(text) : text), rules);
    };
    const std::string name = std::string("EncodingRules/") + language.name;
    const std::vector<const char*> all(std::begin(kRules), std::end(kRules));
    benchmark::RegisterBenchmark((name + "/all").c_str(), [=](benchmark::State& state) { run(state, all, false); });
    benchmark::RegisterBenchmark((name + "/misread").c_str(), [=](benchmark::State& state) { run(state, all, true); });
    for (const char* rule : {"mojibake", "invisible-characters", "pdf-residue"}) {
      benchmark::RegisterBenchmark((name + "/" + rule).c_str(),
                                   [=](benchmark::State& state) { run(state, {rule}, false); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace assay
