// From the keys of a line to what each slot is for. Dialect aliases first, then the common table, then a key of the
// file's own. Of several slots that claim the step or the same metric, the one of the lowest rank gets it.

#include <algorithm>
#include <array>

#include "assay/metric.h"
#include "format/lines/beside.h"
#include "format/lines/claims.h"
#include "format/lines/parts.h"
#include "format/lines/places.h"
#include "format/lines/shape.h"
#include "format/lines/table_cells.h"

namespace assay::lines {

namespace {

constexpr int kKeylessRank = 9;
constexpr int kProgressRank = 8;
constexpr int kWithinEpochRank = 7;
constexpr int kEpochRank = 20;  // an epoch counts the records where nothing else does
constexpr int kWeakRank = 6;
class Deriver {
 public:
  Deriver(const Dialect* dialect, bool lone_step) : lone_step_(lone_step) { out_.dialect = dialect; }

  Meaning line(const Tokenised& tokens, const char* message) {
    fields_ = derive_fields(tokens);
    const std::size_t n = fields_.size();
    out_.slots.resize(n);
    claims_.resize(n);
    opens_dictionary_.resize(n);
    out_.table_row = find_cells(tokens, message, out_) || find_cells_before_bar(tokens, out_);
    for (std::size_t i = 0; i < n; ++i) {
      const std::string_view core = tokens.literals[i].core;
      opens_dictionary_[i] = core.find("{'") != std::string_view::npos || core.find("{\"") != std::string_view::npos ||
                             (i == 0 && core.starts_with('|'));  // the cell of a table
    }
    claim_all(tokens);
    read_step_list(tokens);
    claim_epoch_of_set(tokens, fields_, claims_);
    claim_median(tokens, fields_, claims_);
    claim_first_of_groups(tokens, claims_);
    claim_share(fields_, claims_);
    name_by_unit(tokens);
    if (auto behind = claims_behind(tokens, claims_, out_.dialect); !behind.empty()) claims_ = std::move(behind);
    const Unkeyed unkeyed = read_beside(tokens, fields_, claims_, out_.dialect);
    if (unkeyed.step >= 0) steps_ = {{static_cast<std::size_t>(unkeyed.step), 0, {}, "step"}};
    if (unkeyed.rank >= 0) out_.slots[static_cast<std::size_t>(unkeyed.rank)].use = SlotUse::kRank;
    turn_to_evaluation(tokens);
    mark_ranks(tokens, message, out_.slots);
    choose_step(tokens);
    doubt_cost();
    assign_values();
    find_part(tokens, fields_, claims_, message, out_);
    return std::move(out_);
  }

  // YOLO names its losses for what they are of: "box obj cls total".
  static bool names_boxes(std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), "box") != names.end() &&
           std::find(names.begin(), names.end(), "cls") != names.end();
  }

  Meaning table(std::span<const std::string_view> names) {
    fields_.resize(names.size());
    claims_.resize(names.size());
    opens_dictionary_.resize(names.size());
    out_.slots.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      fields_[i].relation = Relation::kKeyed;
      fields_[i].key = names[i];
      const bool part = names[i] == "box" || names[i] == "obj" || names[i] == "cls" || names[i] == "dfl";
      if ((part || names[i] == "total") && names_boxes(names)) fields_[i].key += part ? "_loss" : " loss";
      claims_[i] = claim_of(fields_[i], nullptr);
      add_step_claim(i);
    }
    out_.table_row = true;
    mark_parts_of_loss(claims_);
    pick_step();
    assign_values();
    return std::move(out_);
  }

 private:
  struct StepClaim {
    std::size_t slot;
    int rank;
    std::string_view when_not_the_axis;
    std::string axis;
  };

  void claim_all(const Tokenised& tokens) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (!tokens.slots[i].is_value()) continue;
      Field& field = fields_[i];
      switch (field.relation) {
        case Relation::kKeyed:
        case Relation::kWord:
        case Relation::kCounted:
          claims_[i] = claim_of(field, out_.dialect);
          add_step_claim(i);
          break;
        case Relation::kIndex: index_of_step(i); break;
        case Relation::kAt: steps_.push_back({i, kProgressRank, {}, "step"}); break;
        case Relation::kProgress:
          // Of two bars on one line the second is the later one.
          std::erase_if(steps_, [](const StepClaim& claim) { return claim.rank == kProgressRank; });
          steps_.push_back({i, kProgressRank, {}, "step"});
          break;
        case Relation::kTotal:
          if (counts_batches(tokens.literals[i + 1].core) && i > 0 && !claims_[i - 1].known) {
            steps_.push_back({i - 1, kWithinEpochRank, {}, "batch"});
          }
          // "10.0it/4.00kit": a bar that counts with units.
          if (i > 0 && fields_[i - 1].unit == "it") steps_.push_back({i - 1, kProgressRank, {}, "step"});
          if (out_.dialect != nullptr && out_.dialect->epoch_over_step && i > 0 &&
              claims_[i - 1].meaning.metric == metric::kEpoch) {
            steps_.push_back({i, 0, {}, "batch"});
          }
          break;
        case Relation::kWithinEpoch:
          if (epoch_before(i) || is_epoch_of_training(i)) steps_.push_back({i, kWithinEpochRank, {}, "step"});
          break;
        default: break;
      }
      count_by_unit(i);
    }
  }

  // DLLogger's steps: `"step": [epoch]`, `"step": [epoch, iteration]`, `"step": [epoch, iteration, iteration of the
  // evaluation]`, on its console "- (0, 7) loss : 2.1". A list with one number is an epoch, in its lines only, unless
  // the file begins with such lists.
  void read_step_list(const Tokenised& tokens) {
    const bool own = out_.dialect != nullptr && out_.dialect->name == "dllogger";
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::string_view before = tokens.literals[i].core;
      const bool keyed = claims_[i].known && claims_[i].meaning.role == KeyRole::kStep && before.ends_with('[');
      if (!keyed && !(own && before.ends_with("- ("))) continue;
      std::size_t end = i + 1;
      while (end < fields_.size() && fields_[end].relation == Relation::kListItem) ++end;
      const std::string_view behind = tokens.literals[end].core;
      if (!behind.starts_with(keyed ? ']' : ')') || (end == i + 1 && !own)) continue;
      out_.step_list = end - i;
      std::erase_if(steps_, [i](const StepClaim& claim) { return claim.slot == i; });
      if (end == i + 1 && lone_step_) return steps_.push_back({i, 0, {}, "step"});
      claims_[i] = {.meaning = *meaning_of("epoch"), .key = "epoch", .known = true};
      if (end > i + 1) return steps_.push_back({i + 1, 0, {}, "iteration"});
      for (Claim& claim : claims_) {  // the mean of an epoch, beside the losses of its steps
        if (claim.known && claim.meaning.metric == metric::kLoss) claim.meaning.metric = "epoch_loss";
      }
      return;
    }
  }

  // "Epoch [3]: 2.1": here the number in brackets is no part of the key.
  void index_of_step(std::size_t i) {
    const Claim claim = claim_of(fields_[i], out_.dialect);
    if (!claim.known || (claim.meaning.role != KeyRole::kStep && claim.meaning.metric != metric::kEpoch)) return;
    claims_[i] = claim;
    add_step_claim(i);
    fields_[i].relation = Relation::kWord;
    if (i + 1 < fields_.size()) fields_[i + 1] = {};
  }

  // The word counts where it stands outside the keys of the metrics: "train loss 4.0, val loss 4.1" is no evaluation.
  void turn_to_evaluation(const Tokenised& tokens) {
    if (out_.dialect != nullptr && out_.dialect->name != "espnet") return;
    bool found = false;
    bool training_first = false;  // "[train] loss=2.1, [valid] loss=2.3": from there on
    std::size_t from = 0;
    for (std::size_t i = 0; i < fields_.size() && !found; ++i) {
      std::string_view text = tokens.literals[i].core;
      const Claim& claim = claims_[i];
      const bool metric =
          (claim.known && claim.meaning.role == KeyRole::kMetric) ||
          (claim.named && (claim.key.find(' ') != std::string::npos || !has_evaluation_word(claim.key + ":")));
      // "Validation of Epoch 3 - loss": of the phrase only "Epoch" is the key.
      const std::string& key = claim.known ? claim.key : fields_[i].key;
      if (metric) text = text.substr(0, std::min(text.rfind(key), text.size()));
      found = has_evaluation_word(text) || opens_evaluation(tokens.literals[i].core);
      if (found && training_first) from = i;
      training_first = training_first || text.find("[train]") != std::string_view::npos;
    }
    if (!found) return;
    for (std::size_t i = from; i < claims_.size(); ++i) {
      Claim& claim = claims_[i];
      if (!claim.known || claim.meaning.role != KeyRole::kMetric) continue;
      if (is_of_training_alone(claim.meaning.metric)) claim.meaning.role = KeyRole::kIgnored;
      if (const auto metric = evaluated(claim.meaning.metric)) claim.meaning.metric = *metric;
    }
  }

  bool epoch_before(std::size_t i) const {
    for (std::size_t k = i < 2 ? 0 : i - 2; k < i; ++k) {
      if (claims_[k].known && claims_[k].meaning.metric == metric::kEpoch) return true;
    }
    return false;
  }

  // "Train: 3 [ 50/625", "Train: [3/300][50/625]", "[0/25][40/90]": the position before it counts the epochs.
  bool is_epoch_of_training(std::size_t i) {
    std::size_t k = i - 1;
    if (k > 0 && fields_[k].relation == Relation::kTotal) --k;
    std::string key = normalise_key(claims_[k].key);
    if (key.starts_with("info")) key.erase(0, 4);
    const bool unnamed = fields_[k].relation == Relation::kNone && k == 0 && fields_[1].relation == Relation::kTotal;
    if (claims_[k].known || (!unnamed && key != "train" && key != "training")) return false;
    claims_[k].meaning = *meaning_of("epoch");
    claims_[k].known = true;
    claims_[k].key = "epoch";
    return true;
  }

  void add_step_claim(std::size_t i) {
    const Claim& claim = claims_[i];
    if (!claim.known || fields_[i].unit == "%") return;  // "Steps:  12%|█": how much is done, not which step
    if (claim.meaning.role == KeyRole::kStep) {
      steps_.push_back({i, claim.meaning.rank, claim.meaning.metric, claim.key});
    }
    const std::string normal = normalise_key(claim.key);
    if (normal == "rank" || normal == "localrank" || normal == "globalrank") out_.slots[i].use = SlotUse::kRank;
  }

  bool is_value(std::size_t i) const {
    return claims_[i].known && claims_[i].meaning.role == KeyRole::kMetric &&
           claims_[i].meaning.metric != metric::kEpoch;
  }

  // "logging_writer.py:48] [100] loss=2.3": a number alone in brackets just before the first metric.
  void step_in_brackets(const Tokenised& tokens) {
    for (std::size_t i = 0; i + 1 < fields_.size(); ++i) {
      if (!is_value(i + 1)) continue;
      const std::string_view before = tokens.literals[i].core;
      const std::string_view behind = tokens.literals[i + 1].core;
      const bool alone = before.ends_with('[') && behind.starts_with(']') && fields_[i].key.empty();
      if (alone) steps_.push_back({i, kKeylessRank, {}, "step"});
      return;
    }
  }

  // "8epoch:train:376-750batch:"
  void count_by_unit(std::size_t i) {
    const std::string_view unit = fields_[i].unit;
    if (claims_[i].known || (unit != "epoch" && unit != "batch")) return;
    if (unit == "batch") return steps_.push_back({i, kWithinEpochRank, {}, "batch"});
    claims_[i] = {.meaning = *meaning_of("epoch"), .key = "epoch", .known = true};
  }

  // "| 1400.00 ms | 35.7% bf16 MFU | 374491 tok/s": between separators a number and its unit, in a line that is a
  // record anyhow.
  void name_by_unit(const Tokenised& tokens) {
    if (std::none_of(claims_.begin(), claims_.end(), [](const Claim& c) { return c.known; })) return;
    for (std::size_t i = 1; i < fields_.size(); ++i) {
      if (fields_[i].relation == Relation::kKeyed || !tokens.slots[i].is_value() || claims_[i].known) continue;
      const std::string_view before = tokens.literals[i].core;
      if (!before.ends_with('|') && !before.ends_with(',')) continue;
      std::string_view behind = tokens.literals[i + 1].core;
      const std::size_t cell = behind.find_first_of("|,;");
      if (cell == std::string_view::npos && i + 1 < fields_.size()) continue;
      const auto found = meaning_of_unit(behind.substr(0, cell));
      if (!found) continue;
      claims_[i] = {.meaning = *found, .key = std::string(found->metric), .known = true};
    }
  }

  // A cost is a loss beside a step or an epoch; elsewhere it may be of anything.
  void doubt_cost() {
    if (out_.dialect != nullptr || out_.has_step) return;
    for (Claim& claim : claims_) {
      if (claim.known && normalise_key(claim.key) == "cost") claim = {};
    }
  }

  // A number without a key that opens the line: a step ("250 val 5.1", "10/100 [==>.] - loss: 2.3"), or, where the
  // line tells its step otherwise, what a launcher puts before each line ("0: iteration …").
  void choose_step(const Tokenised& tokens) {
    if (out_.dialect != nullptr && out_.dialect->epoch_first && fields_.size() > 1) {
      claims_[0] = {.meaning = *meaning_of("epoch"), .key = "epoch", .known = true};
      steps_ = {{1, 0, {}, "step"}};
    }
    if (steps_.empty()) step_in_brackets(tokens);
    // "loss: 2.3  [  640/60000]": the position behind the metrics.
    const std::size_t n = fields_.size();
    if (steps_.empty() && n >= 3 && fields_[n - 2].relation == Relation::kWithinEpoch &&
        fields_[n - 1].relation == Relation::kTotal && tokens.literals[n].core == "]") {
      steps_.push_back({n - 2, kKeylessRank, {}, "step"});
    }
    std::size_t first = 0;
    while (first < fields_.size() && !tokens.slots[first].is_value()) ++first;
    const bool keyless = first < fields_.size() && fields_[first].relation == Relation::kNone &&
                         !claims_[first].known && fields_[first].unit != "%" &&
                         !names_source(tokens.literals[first + 1].core) &&
                         tokens.literals[first].core.find_first_not_of("[({|,;#\t ") == std::string_view::npos;
    if (keyless && steps_.empty() && !out_.table_row && out_.slots[first].use == SlotUse::kSkip &&
        !(first + 1 < out_.slots.size() && out_.slots[first + 1].use == SlotUse::kRank)) {
      steps_.push_back({first, kKeylessRank, {}, "step"});
      word_after_keyless(first);
    } else if (keyless && first == 0 && tokens.literals[0].core.empty() && tokens.literals[1].core.starts_with(':')) {
      out_.slots[first].use = SlotUse::kRank;
    }
    pick_step();
  }

  // "250 val 5.1", "250 train 4.9"
  void word_after_keyless(std::size_t first) {
    const std::size_t next = first + 1;
    if (fields_.size() != next + 1 || claims_[next].known || fields_[next].relation != Relation::kWord) return;
    const std::string normal = normalise_key(fields_[next].key);
    const auto found = meaning_of(normal + "loss");
    if (normal == "train" || (found && found->metric == metric::kEvalLoss)) {
      claims_[next].meaning = *found;
      claims_[next].known = true;
    }
  }

  void pick_step() {
    if (steps_.empty()) {
      for (std::size_t i = 0; i < claims_.size(); ++i) {
        if (claims_[i].known && claims_[i].meaning.metric == metric::kEpoch) {
          epoch_step_ = true;
          steps_.push_back({i, kEpochRank, metric::kEpoch, claims_[i].key});
        }
      }
    }
    if (steps_.empty()) return;
    const auto best = std::min_element(steps_.begin(), steps_.end(),
                                       [](const StepClaim& a, const StepClaim& b) { return a.rank < b.rank; });
    out_.slots[best->slot].use = SlotUse::kStep;
    out_.has_step = true;
    out_.weak_step = best->rank >= kWeakRank;
    out_.axis = best->axis;
    out_.bar_step = fields_[best->slot].relation == Relation::kProgress;
    out_.step_slot = static_cast<int>(best->slot);
    out_.epoch_step = epoch_step_;
    if (epoch_step_) add_column(best->slot, metric::kEpoch, Unit::kEpochs, 1);
    for (const StepClaim& other : steps_) {
      if (&other == &*best || other.when_not_the_axis.empty()) continue;
      out_.slots[other.slot].use = SlotUse::kValue;
      add_column(other.slot, other.when_not_the_axis, Unit::kSteps, 1);
    }
    const std::size_t next = best->slot + 1;
    if (next < fields_.size() && fields_[next].relation == Relation::kTotal && !epoch_step_) {
      out_.slots[next].use = SlotUse::kTotal;
      out_.total_slot = static_cast<int>(next);
      // Behind an epoch the total is that of the epoch.
      out_.total_is_plan =
          best->rank != kWithinEpochRank && best->rank != kKeylessRank && !epoch_stands_before(best->slot);
    }
  }

  bool epoch_stands_before(std::size_t slot) const {
    return std::any_of(claims_.begin(), claims_.begin() + static_cast<std::ptrdiff_t>(slot),
                       [](const Claim& c) { return c.known && c.meaning.metric == metric::kEpoch; });
  }

  void add_column(std::size_t slot, std::string_view metric, Unit unit, double factor) {
    ColumnSpec spec;
    out_.has_epoch = out_.has_epoch || metric == metric::kEpoch;
    out_.loss_like = out_.loss_like || metric == "epoch_loss";
    spec.metric = metric;
    spec.printed_as = claims_[slot].key;
    spec.unit = unit;
    spec.loss_likeness = metric.starts_with("train_loss") || metric == "epoch_loss" ? 2 : 0;
    // What a bar shows of an evaluation stays there until the next.
    spec.held = out_.dialect == nullptr && out_.bar_step && metric.starts_with("eval_");
    if (out_.dialect != nullptr) {
      const auto held = out_.dialect->held;
      spec.held = std::find(held.begin(), held.end(), metric) != held.end();
      for (const MetricQuirk& row : out_.dialect->quirks) {
        if (row.metric == metric) spec.quirks = spec.quirks | row.quirks;
      }
      const bool in_bits =
          out_.dialect->bits && (metric == metric::kLoss || metric == metric::kEvalLoss || metric == "epoch_loss");
      if (in_bits) spec.quirks = spec.quirks | Quirk::kInBits;
    }
    out_.slots[slot].column = out_.own.find_or_add(std::move(spec));
    out_.slots[slot].factor = factor;
    out_.slots[slot].truth = metric == metric::kOverflow || metric == metric::kSkippedSteps;
  }

  // The slot of the lowest rank among those that mean the same metric.
  bool is_best(std::size_t i) const {
    const KeyMeaning& own = claims_[i].meaning;
    for (std::size_t k = 0; k < claims_.size(); ++k) {
      const KeyMeaning& other = claims_[k].meaning;
      if (k == i || !claims_[k].known || other.role != KeyRole::kMetric || other.metric != own.metric) continue;
      if (other.rank < own.rank || (other.rank == own.rank && k < i)) return false;
    }
    return true;
  }

  void assign_values() {
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      if (out_.slots[i].use == SlotUse::kSkip && claims_[i].known && claims_[i].meaning.role == KeyRole::kMetric &&
          is_best(i)) {
        note_core(claims_[i].meaning.metric);
      }
    }
    const bool stepless_loss = out_.dialect == nullptr && !out_.has_step;
    bool known_before = false;
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      SlotPlan& plan = out_.slots[i];
      const Claim& claim = claims_[i];
      known_before = known_before || opens_dictionary_[i] || plan.use == SlotUse::kStep ||
                     (claim.known && claim.meaning.role != KeyRole::kIgnored);
      if (plan.use != SlotUse::kSkip) continue;
      if (claim.known && claim.meaning.role == KeyRole::kMetric) {
        assign_known(i, stepless_loss);
      } else if (claim.named && known_before && !is_no_metric(claim.key)) {
        assign_named(i, claim.key, claim.part);
      } else if (claim.named && (names_loss(claim.key) || is_adversarial(claim.key))) {
        assign_named(i, claim.key, claim.part);
      }
    }
    for (std::size_t i = 0; i < out_.slots.size(); ++i) {
      if (out_.slots[i].use == SlotUse::kRank) out_.rank_slot = static_cast<int>(i);
    }
    out_.only_rate = out_.has_core && core_ == 1 && only_core_ == metric::kLearningRate;
    out_.has_core = out_.has_core || out_.loss_like;
  }

  void note_core(std::string_view metric) {
    if (!is_core(metric)) return;
    out_.measured = out_.measured || (metric != metric::kLearningRate && metric != metric::kLossScale &&
                                      metric != metric::kOverflow && metric != metric::kSkippedSteps);
    out_.has_core = true;
    ++core_;
    only_core_ = metric;
    out_.has_loss = out_.has_loss || metric == metric::kLoss;
    out_.has_eval = out_.has_eval || metric == metric::kEvalLoss || metric == metric::kEvalAccuracy;
  }

  void assign_known(std::size_t i, bool stepless_loss) {
    const KeyMeaning& meaning = claims_[i].meaning;
    if (!is_best(i)) {
      if (meaning.metric == metric::kLoss) assign_named(i, claims_[i].key);
      return;
    }
    const double factor = unit_factor(meaning.unit, fields_[i].unit, meaning.factor);
    out_.slots[i].use = SlotUse::kValue;
    if (meaning.metric == metric::kLoss && stepless_loss) {
      // Lines without a step often repeat or sum up what others tell: the loss of the run only where there is no other.
      ColumnSpec spec;
      spec.metric = "loss without step";
      spec.printed_as = claims_[i].key;
      spec.unit = meaning.unit;
      spec.loss_likeness = 3;
      out_.slots[i].column = out_.own.find_or_add(std::move(spec));
      out_.slots[i].factor = factor;
      return;
    }
    add_column(i, meaning.metric, meaning.unit, factor);
  }

  void assign_named(std::size_t i, const std::string& key, bool part = false) {
    ColumnSpec spec;
    // Beside a more specific key the plain word is another series: "loss=nan, reduced_train_loss=3.9".
    spec.metric = key == metric::kLoss ? "other loss" : key;
    spec.printed_as = key;
    spec.own_name = true;
    if (names_loss(key) || is_adversarial(key)) {
      spec.loss_likeness = is_adversarial(key) || part ? 0 : 1;
      out_.loss_like = true;
    }
    out_.slots[i].use = SlotUse::kValue;
    out_.slots[i].column = out_.own.find_or_add(std::move(spec));
  }

  Meaning out_;
  std::vector<Field> fields_;
  std::vector<Claim> claims_;
  std::vector<StepClaim> steps_;
  std::vector<bool> opens_dictionary_;  // before the slot: what follows is no logger's
  bool epoch_step_ = false;
  bool lone_step_;
  int core_ = 0;
  std::string_view only_core_;
};

}  // namespace

// What a launcher put before the line is no part of it: the rest is read as if it stood alone, and then its places are
// counted from the beginning again. A mark that begins with a number may be a step ("250: loss 2.3") and stays.
Meaning derive_meaning(const Tokenised& line, const Dialect* dialect, const char* message, bool lone_step) {
  const std::size_t marked = slots_of_mark(line, message);
  const Tokenised body = behind_mark(line, message, marked);
  Meaning out = Deriver(dialect, lone_step).line(body, message);
  count_with_mark(out, line, body, message);
  return out;
}

Meaning derive_table(std::span<const std::string_view> names) { return Deriver(nullptr, false).table(names); }

}  // namespace assay::lines
