#include "format/lines/setting_sentences.h"

#include <algorithm>
#include <array>
#include <string>

#include "assay/setting.h"
#include "format/config/flat_settings.h"
#include "format/config/vocabulary_tables.h"
#include "format/lines/number_scan.h"

namespace assay::lines {

namespace {

enum class Form : std::uint8_t {
  kNumber,  // the number behind it, thousands and multiples (123.59M) written out
  kWord,    // the rest of the line
  kFixed,   // what the sentence itself says
  kPair,    // name = value, of nanoGPT
  kPairs,   // name: value, name: value, of Megatron-LM
};

struct Sentence {
  std::string_view beginning;
  Form form;
  std::string_view key = {};
  std::string_view value = {};
};
constexpr auto kSentences = std::to_array<Sentence>({
    // nanoGPT
    {"Overriding: ", Form::kPair},
    {"found vocab_size = ", Form::kNumber, setting::kVocabSize},
    {"Initializing a new model from scratch", Form::kFixed, "init_from", "scratch"},
    {"Initializing from OpenAI GPT-2 weights: ", Form::kWord, "init_from"},
    {"Resuming training from ", Form::kWord, setting::kResumeFrom},
    {"number of parameters: ", Form::kNumber, "parameters"},
    {"tokens per iteration will be: ", Form::kNumber, setting::kGlobalBatchTokens},
    // Megatron-LM
    {"using world size: ", Form::kPairs},
    {"> padded vocab (size: ", Form::kNumber, setting::kVocabSize},
    // Hugging Face examples
    {"Training new model from scratch", Form::kFixed, "init_from", "scratch"},
});

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// "491,520" and "123.59M" as plain digits; empty: no number.
std::string plain_number(std::string_view text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789.,e+-"), text.size());
  std::string digits(text.substr(0, size));
  std::erase(digits, ',');
  if (digits.find_first_of("0123456789") == std::string::npos) return {};
  const char unit = size < text.size() ? text[size] : ' ';
  const std::size_t zeros = unit == 'K' ? 3 : unit == 'M' ? 6 : unit == 'B' ? 9 : 0;
  if (zeros == 0) return digits;
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : digits.size() - point - 1;
  if (decimals > zeros || digits.find_first_not_of("0123456789.") != std::string::npos) return digits;
  if (point != std::string::npos) digits.erase(point, 1);
  return digits + std::string(zeros - decimals, '0');
}

void record(std::string_view key, std::string_view value, std::int64_t number, Recorder& recorder,
            const Vocabulary& words = shared_vocabulary()) {
  record_setting({std::string(key), std::string(value.substr(0, 400)), number}, recorder, words);
}

// "world size: 8, data-parallel-size: 2, tensor-model-parallel size: 2"
bool take_pairs(std::string_view text, std::int64_t number, Recorder& recorder) {
  bool any = false;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    const std::size_t colon = part.find(':');
    if (colon != std::string_view::npos) {
      std::string key(trimmed(part.substr(0, colon)));
      std::replace(key.begin(), key.end(), ' ', '_');
      std::replace(key.begin(), key.end(), '-', '_');
      const std::string value = plain_number(trimmed(part.substr(colon + 1)));
      if (!value.empty()) {
        record(key, value, number, recorder, kMegatronWords);
        any = true;
      }
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return any;
}

}  // namespace

bool take_sentence(std::string_view message, std::int64_t number, Recorder& recorder) {
  const auto* const found = std::find_if(kSentences.begin(), kSentences.end(), [&](const Sentence& sentence) {
    return message.starts_with(sentence.beginning);
  });
  if (found == kSentences.end()) return false;
  const std::string_view rest = trimmed(message.substr(found->beginning.size()));
  switch (found->form) {
    case Form::kFixed: record(found->key, found->value, number, recorder); return true;
    case Form::kWord:
      if (!rest.empty()) record(found->key, rest, number, recorder);
      return !rest.empty();
    case Form::kNumber: {
      const std::string value = plain_number(rest);
      if (!value.empty()) record(found->key, value, number, recorder);
      // "> padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)"
      constexpr std::string_view kNew = "(new size: ";
      const std::size_t padded = rest.find(kNew);
      if (padded != std::string_view::npos && found->key == setting::kVocabSize) {
        record(setting::kPaddedVocabSize, plain_number(rest.substr(padded + kNew.size())), number, recorder);
      }
      return !value.empty();
    }
    case Form::kPair: {
      const std::size_t equals = rest.find(" = ");
      if (equals == std::string_view::npos) return false;
      record(trimmed(rest.substr(0, equals)), trimmed(rest.substr(equals + 3)), number, recorder, kNanogptWords);
      return true;
    }
    case Form::kPairs: return take_pairs(message.substr(std::string_view("using ").size()), number, recorder);
  }
  return false;
}

}  // namespace assay::lines
