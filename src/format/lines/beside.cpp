// What a key means by what stands beside it on its line.
//
// A key by itself is often too short to be believed: "time" may be the time of day, "memory: 5280" may be of any size.
// Beside others of its line it is told: what prints how long the data took ("data_time", "data") prints beside it how
// long the step took, and its memory in MiB (Detectron2, the OpenMMLab family, the MetricLogger of many vision and
// speech programs: their source, 2019–2025). Likewise:
//   * a key that comes again behind the loss of an evaluation belongs to the evaluation;
//   * "Averaged stats:" of a MetricLogger sums up an epoch whose steps were printed before: its loss is that of the
//     epoch, its other numbers are the last step's once more;
//   * XLM's and unsloth's lines, and icefall's ranks, have numbers without a key whose place tells what they are.

#include "format/lines/beside.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "assay/metric.h"

namespace assay::lines {

namespace {

std::string normal_key(const Field& field) { return normalise_key(field.key); }

// The first test is for speed: most keys end there.
bool is_data_time(const Field& field) {
  if (field.key.find("ata") == std::string::npos) return false;
  const std::string normal = normal_key(field);
  return normal == "datatime" || normal == "data";
}

void read_beside_data_time(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims) {
  if (std::none_of(fields.begin(), fields.end(), is_data_time)) return;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].relation != Relation::kKeyed) continue;
    const auto meaning = meaning_beside_data_time(normal_key(fields[i]));
    if (!meaning) continue;
    claims[i] = {.meaning = *meaning, .key = fields[i].key, .known = true};
    // "max_mem: 3782M", which was read as 3782 millions.
    if (meaning->metric == metric::kMemory && tokens.slots[i].thousands == 2) claims[i].meaning.factor *= 1e-6;
  }
}

// Keras: "423/423 [====] - 192s 454ms/step - loss: 1.8"
void read_time_of_step(const Tokenised& tokens, std::span<Claim> claims) {
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
      {{"ms/step", 1e-3}, {"us/step", 1e-6}, {"s/step", 1}}};
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!tokens.slots[i].is_value() || claims[i].known) continue;
    for (const auto& [unit, seconds] : kUnits) {
      if (!tokens.literals[i + 1].core.starts_with(unit)) continue;
      claims[i] = {.meaning = {.metric = metric::kStepTime, .unit = Unit::kSecond, .factor = seconds, .rank = 3},
                   .key = std::string(unit),
                   .known = true};
      break;
    }
  }
}

// "Train Loss: 2.1 | Token Acc: 0.5 | Val Loss: 2.3 | Token Acc: 0.4"
void read_behind_evaluation(std::span<Claim> claims) {
  std::size_t from = 0;
  while (from < claims.size() && !(claims[from].known && claims[from].meaning.metric == metric::kEvalLoss)) ++from;
  const auto trained =
      std::find_if(claims.begin(), claims.begin() + static_cast<std::ptrdiff_t>(from),
                   [](const Claim& claim) { return claim.known && claim.meaning.metric == metric::kLoss; });
  if (trained == claims.begin() + static_cast<std::ptrdiff_t>(from)) return;
  for (std::size_t i = from + 1; i < claims.size(); ++i) {
    Claim& claim = claims[i];
    const bool again =
        (claim.known || claim.named) && std::any_of(claims.begin(), claims.begin() + static_cast<std::ptrdiff_t>(from),
                                                    [&](const Claim& former) { return former.key == claim.key; });
    if (!again) continue;
    const auto metric = claim.known ? evaluated(claim.meaning.metric) : std::nullopt;
    if (metric) claim.meaning.metric = *metric;
    if (claim.named) claim.key.insert(0, "eval ");
  }
}

void read_averaged_stats(const Tokenised& tokens, std::span<Claim> claims) {
  constexpr std::string_view kMark = "Averaged stats:";
  if (claims.empty() || tokens.literals[0].core.find(kMark) == std::string_view::npos) return;
  for (Claim& claim : claims) {
    if (claim.known && claim.meaning.metric == metric::kLoss) {
      claim.meaning.metric = "epoch_loss";
    } else {
      claim = {};
    }
  }
}

// "- 1135 -   56.12 sent/s -  2143.80 words/s - MLM-en:  7.7416 -  - model LR: 3.8795e-06"
int read_xlm(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims) {
  int step = -1;
  bool has_loss = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!tokens.slots[i].is_value()) continue;
    const std::string_view behind = tokens.literals[i + 1].core;
    if (behind.starts_with("sent/s") || behind.starts_with("words/s")) {
      const bool words = behind.starts_with('w');
      claims[i] = {.meaning = *meaning_of(words ? "words_per_second" : "samples_per_second"),
                   .key = words ? "words/s" : "sent/s",
                   .known = true};
    } else if (step < 0 && tokens.slots[i].integer && tokens.literals[i].core == "-" && behind == "-") {
      step = static_cast<int>(i);
    } else if (claims[i].named && fields[i].relation == Relation::kKeyed && !has_loss) {
      has_loss = true;
      claims[i].meaning = *meaning_of("loss");
      claims[i].known = true;
    }
  }
  return step;
}

// "(5/8) Epoch 2, batch 5850, loss[loss=0.24, …], tot_loss[loss=0.28, …]": process 5 of 8. The second list is a mean
// over the past.
int read_icefall(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims) {
  int rank = -1;
  bool total = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view before = tokens.literals[i].core;
    const bool opens = before.find("tot_loss[") != std::string_view::npos;
    total = opens || (total && before.find(']') == std::string_view::npos);
    if (total && (claims[i].known || claims[i].named) && !is_no_metric(fields[i].key))
      claims[i] = {.key = "tot_" + fields[i].key, .named = true};
    if (rank < 0 && i + 2 < fields.size() && before.ends_with('(') && fields[i + 1].relation == Relation::kTotal &&
        tokens.literals[i + 2].core.starts_with(") Epoch")) {
      rank = static_cast<int>(i);
    }
  }
  return rank;
}

// "11/312 [02:27<1:00:48, 12.12s/it]10, 2.2398": what unsloth prints behind its bar is the step and the loss.
int read_pair_behind_bar(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims) {
  const std::size_t n = fields.size();
  if (n < 4 || !tokens.literals[n].core.empty() || tokens.literals[n - 1].core != ",") return -1;
  const std::string_view before = tokens.literals[n - 2].core;
  if (!before.ends_with("s/it]") && !before.ends_with("it/s]")) return -1;
  if (!tokens.slots[n - 2].integer || !tokens.slots[n - 1].is_value()) return -1;
  claims[n - 2] = {};
  claims[n - 1] = {.meaning = *meaning_of("loss"), .key = "number behind the bar", .known = true};
  return static_cast<int>(n - 2);
}

}  // namespace

Unkeyed read_beside(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims,
                    const Dialect* dialect) {
  Unkeyed out;
  if (dialect != nullptr) {
    if (dialect->name == "xlm") out.step = read_xlm(tokens, fields, claims);
    if (dialect->name == "icefall") out.rank = read_icefall(tokens, fields, claims);
    return out;
  }
  read_beside_data_time(tokens, fields, claims);
  read_time_of_step(tokens, claims);
  read_behind_evaluation(claims);
  read_averaged_stats(tokens, claims);
  mark_parts_of_loss(claims);
  out.step = read_pair_behind_bar(tokens, fields, claims);
  return out;
}

bool counts_batches(std::string_view behind) {
  constexpr std::array<std::string_view, 4> kWords{"batches", "steps", "iterations", "iters"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return behind.starts_with(word) && (behind.size() == word.size() || !is_word(behind[word.size()]));
  });
}

bool names_source(std::string_view behind) {
  const std::string_view word = behind.substr(0, behind.find(' '));
  return word.ends_with(".py:") || word.ends_with(".cc:") || word.ends_with(".cpp:");
}

void mark_parts_of_loss(std::span<Claim> claims) {
  std::size_t parts = 0;
  for (Claim& claim : claims) {
    claim.part = !claim.known && is_part_of_detection_loss(claim.key);
    parts += claim.part ? 1 : 0;
  }
  if (parts >= 2) return;
  for (Claim& claim : claims) claim.part = false;
}

}  // namespace assay::lines
