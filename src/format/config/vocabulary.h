#pragma once
// The words of one framework: which canonical setting each of them is, and in which form it says its value.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/config/flat_settings.h"

namespace assay {

/// How a word says its value.
enum class Form : std::uint8_t {
  kAs,                  // as the canonical setting has it
  kBetas,               // [0.9, 0.95]: both of Adam
  kOneMinus,            // 1 - beta
  kNot,                 // a flag that says the opposite
  kZeroStageIf,         // a flag for ZeRO stage 1
  kSharding,            // FULL_SHARD, stage2, …: a ZeRO stage
  kDuration,            // "100ba", or a number in the unit that a sibling `units` or `unit` names, or in steps
  kStepsOrFraction,     // below 1 a fraction of the run
  kIntervalOrFraction,  // the same for an interval, which then has no canonical name
  kEndOfDecay,          // the least rate, where the scheduler (`type` one level up) decays to it
  kTrainedLength,       // unless `do_sample` beside it says that the text is to be generated
  kGroupedQueries,      // unless `group_query_attention` beside it is off; of options, only where it is one of them
  kIfOn,                // one of several flags for the same: one that is off says nothing
  kUnlessOne,           // a factor: 1 is none
  kUnlessBeside,        // unless the words `beside` of the term stand on the same level, all of them
  kOnlyBeside,          // only where they do
  kNoSetting,           // not what it looks like: it has no canonical name
};

struct Term {
  std::string_view words;      // the end of a path, in lower case with '_' and '/'; with '/' first, the whole path
  std::string_view canonical;  // empty for kNoSetting
  Form form = Form::kAs;
  std::string_view beside = {};  // of kUnlessBeside and kOnlyBeside
};

struct Vocabulary {
  std::string_view name;                        // "megatron"
  std::span<const std::string_view> signature;  // words that hardly any other framework has
  std::span<const Term> terms;
  const Vocabulary* base = nullptr;  // whose terms hold where it has none of its own
  // Whose words its files may hold in greater number than its own: a block of DeepSpeed in the arguments of a Trainer.
  const Vocabulary* refines = nullptr;
  // Words of its own, of which one at least has to be there, where most of its signature is another's, too.
  std::span<const std::string_view> own = {};
};

/// All of them. Of two that fit equally well the first counts.
std::span<const Vocabulary* const> vocabularies();
const Vocabulary* vocabulary_named(std::string_view name);
/// Words that several frameworks and hand-written programs use. It is asked where a framework's own has no word.
const Vocabulary& shared_vocabulary();

/// The canonical setting of a word that means the same wherever it stands, also alone on a line of a log, or empty.
/// Case, ' ' and '-' for '_' do not matter.
std::string_view common_setting(std::string_view word);
/// Its term; null: none.
const Term* common_term(std::string_view word);

/// Whose words these are: the vocabulary of which most signature words occur, at least two. Null: nobody's.
const Vocabulary* vocabulary_of(std::span<const FlatSetting> settings);

/// A path as terms are written: "--lr-warmup-iters" is lr_warmup_iters, "+actor.optim.lr" is actor/optim/lr.
std::string normal_path(std::string_view path);

/// Whether `words` are the end of the path, at a border of its levels.
bool path_ends_with(std::string_view normal, std::string_view words);

/// The term for a path: the longest that fits; null: none.
const Term* term_of(const Vocabulary& vocabulary, std::string_view normal);

/// One canonical setting of those that a word says.
struct Meaning {
  std::string key;
  std::string value;
};

/// What each setting means; a setting without a canonical name has its last word as key, or its whole path where that
/// word would mislead. `vocabulary` may be null.
std::vector<std::vector<Meaning>> meanings(std::span<const FlatSetting> settings, const Vocabulary* vocabulary);

/// Whether these are settings of a training run or of a language model, and not of something else. promised: the name
/// of the file says that it holds settings; then one telling word is enough.
bool holds_training_settings(std::span<const FlatSetting> settings, bool promised = false);

}  // namespace assay
