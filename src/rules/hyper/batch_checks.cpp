// Batch and ranks.
//
// A global batch of G sequences is cut into micro-batches of m on each of D data-parallel ranks, so G has to be a
// multiple of m D; D is what is left of the ranks when each copy of the model has taken its tensor x pipeline x context
// ranks, so these have to divide the ranks. Frameworks test it before the first step and stop (Megatron-LM:
// validate_args and the calculator of micro-batches; torchtitan: the trainer; DeepSpeed: _batch_assertion), or cut the
// rest off without a word (OLMo, litgpt), which makes the batch smaller than it says.
//
// Which of it is harm: what stops is an error, what is cut off a warning. A launch script is often a template with one
// node in it. A rest that stays for any number of nodes is an error all the same (if k nodes can cut the batch, one
// node can, since D grows with k); where more nodes would do, it is a warning that says how many.

#include "rules/hyper/batch_checks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/setting.h"
#include "base/bytes.h"
#include "measure/rampup.h"
#include "rules/actions.h"

namespace assay {

std::optional<std::int64_t> whole(const Plan& plan, std::string_view key) {
  const auto number = plan.told(key);
  const auto count = number ? exact_integer(number->value) : std::nullopt;
  return count && *count > 0 ? count : std::nullopt;
}

std::string name_of(const Plan& plan, std::string_view key) {
  const Setting* said = plan.setting(key);
  return said == nullptr || said->written.empty() ? std::string(key) : said->written;
}

Location where_said(const Plan& plan, std::string_view key) {
  if (const Setting* said = plan.setting(key)) return said->where;
  const auto follows = plan.told(key);
  return follows ? follows->where : Location{};
}

bool is_megatron(const Plan& plan) {
  const std::string& name = plan.framework();
  return name == "megatron" || name == "nemo" || name == "megatron-bridge";
}

namespace {

constexpr double kMostRanks = 1e7;
constexpr double kMostSequences = 1e9;
constexpr double kGreatestSize = 1e7;  // layers, hidden size
constexpr double kBusy = 0.5;          // of the time that a pipeline works: published runs reach 0.7 to 0.95

class BatchChecks {
 public:
  explicit BatchChecks(const Plan& plan) : plan_(plan) {}

  std::vector<Mismatch> take() {
    senseless();
    if (!out_.empty()) return std::move(out_);  // the sums would be of these numbers
    ranks_of_model();
    accumulation();
    shared_accumulation();
    three_of_deepspeed();
    product();
    rampup();
    bubble();
    return std::move(out_);
  }

 private:
  Mismatch& add(std::string sentence, Values values, std::string_view key, bool refused, std::string checked = {}) {
    out_.push_back({std::move(sentence), std::move(values), where_said(plan_, key), refused, std::move(checked), {}});
    return out_.back();
  }

  void advise(Mismatch& one, std::string sentence, Values values, std::string_view key, std::int64_t value) const {
    one.actions.push_back({{std::move(sentence), std::move(values)},
                           option_to_set(plan_.run(), key, static_cast<double>(value)),
                           ActionRole::kBatch});
  }

  const Derived* fact(std::string_view name) const {
    for (const Derived& one : plan_.run().derived) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }

  bool is(std::string_view framework) const { return plan_.framework() == framework; }

  const Setting* last_said(std::string_view key) const {
    const auto& all = plan_.run().config.settings;
    const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Setting& one) { return one.key == key; });
    return last == all.rend() ? nullptr : &*last;
  }

  // Numbers with which nothing can run.
  void senseless() {
    for (const std::string_view key :
         {setting::kWorldSize, setting::kNodes, setting::kDevicesPerNode, setting::kMicroBatchSize}) {
      // A launcher's 0 is no number of processes, so its reader calls it not known.
      const Setting* said = last_said(key);
      if (said != nullptr && !said->unknown.empty() && said->value == "0") {
        Mismatch& one = add("nothing", {{"name", said->written}, {"value", 0}}, key, true);
        one.where = said->where;
        return;
      }
      const auto number = plan_.told(key);
      if (!number || number->origin != Origin::kSaid || number->value > 0) continue;
      // Some trainers take a micro-batch of 0 for one that is not told.
      const bool stops = key != setting::kMicroBatchSize || is_megatron(plan_) || is("deepspeed") || is("gpt-neox") ||
                         is("hf-trainer") || is("nanogpt");
      add("nothing", {{"name", number->written}, {"value", number->value}}, key, stops);
    }
    struct Bound {
      std::string_view key;
      double most;
    };
    for (const Bound& bound : {Bound{setting::kWorldSize, kMostRanks}, Bound{setting::kMicroBatchSize, kMostSequences},
                               Bound{setting::kGlobalBatchSize, kMostSequences},
                               Bound{setting::kNumLayers, kGreatestSize}, Bound{setting::kHiddenSize, kGreatestSize}}) {
      const auto number = plan_.told(bound.key);
      if (!number || number->origin != Origin::kSaid || number->value <= bound.most) continue;
      add("absurd", {{"name", number->written}, {"value", number->value}, {"most", bound.most}}, bound.key, true);
    }
  }

  // One node is what a template says before anybody has filled it in.
  bool one_node() const {
    const auto nodes = whole(plan_, setting::kNodes);
    return nodes && *nodes == 1;
  }

  struct Spread {
    std::int64_t ranks = 1;  // that share one copy of the model
    Text text;               // "8 tensor x 16 pipeline"
    std::string_view key;    // of the greatest
  };
  std::optional<Spread> spread() const {
    struct Kind {
      std::string_view key;
      const char *word, *zh;
    };
    Spread out;
    std::int64_t greatest = 0;
    for (const Kind& kind : {Kind{setting::kTensorParallelSize, "tensor", "张量并行"},
                             Kind{setting::kPipelineParallelSize, "pipeline", "流水线并行"},
                             Kind{setting::kContextParallelSize, "context", "上下文并行"},
                             Kind{setting::kSequenceParallelSize, "sequence-parallel", "序列并行"}}) {
      if (plan_.hidden(kind.key)) return std::nullopt;
      const std::int64_t size = whole(plan_, kind.key).value_or(1);
      if (size == 1) continue;
      const auto product = checked_multiply(out.ranks, size);
      if (!product) return std::nullopt;
      out.ranks = *product;
      out.text.en += (out.text.en.empty() ? "" : " x ") + format(Value(size)) + " " + kind.word;
      out.text.zh += (out.text.zh.empty() ? "" : " × ") + format(Value(size)) + " " + kind.zh;
      if (size > greatest) out.key = kind.key;
      greatest = std::max(greatest, size);
    }
    return out;
  }

  void ranks_of_model() {
    const Derived* parallel = fact(setting::kDataParallelSize);
    const auto world = whole(plan_, setting::kWorldSize);
    const auto shared = spread();
    if (parallel == nullptr || parallel->value != Value("none") || !world || !shared || *world % shared->ranks == 0)
      return;
    const auto devices = whole(plan_, setting::kDevicesPerNode);
    const Values values = {{"ranks", *world},
                           {"copy", shared->ranks},
                           {"parts", shared->text.en},
                           {"parts-zh", shared->text.zh},
                           {"devices", devices.value_or(0)}};
    const bool one = one_node();
    if (one && devices && shared->ranks % *devices == 0) {
      const std::int64_t nodes = shared->ranks / *devices;
      Mismatch& few = add("one-node", values, setting::kNodes, false);
      advise(few, "take-nodes", {{"nodes", nodes}, {"ranks", shared->ranks}}, setting::kNodes, nodes);
      return;
    }
    Mismatch& found = add("ranks", values, shared->key, !one, is_megatron(plan_) ? "checked-megatron-world" : "");
    const std::int64_t more = (*world / shared->ranks + 1) * shared->ranks;
    found.actions.push_back({{"take-ranks", {{"ranks", more}, {"copy", shared->ranks}}}, "", ActionRole::kBatch});
  }

  // The nearest batches that come out.
  void advise_batch(Mismatch& one, std::int64_t batch, std::int64_t unit) const {
    const std::int64_t below = batch / unit * unit;
    const std::int64_t above = below + unit;
    const std::int64_t nearest = below > 0 && batch - below <= above - batch ? below : above;
    advise(one, below > 0 ? "take-batch" : "take-batch-at-least", {{"below", below}, {"above", above}, {"unit", unit}},
           setting::kGlobalBatchSize, nearest);
  }

  void accumulation() {
    const Derived* steps = fact(setting::kGradientAccumulation);
    const auto batch = whole(plan_, setting::kGlobalBatchSize);
    const auto micro = whole(plan_, setting::kMicroBatchSize);
    const auto copies = whole(plan_, setting::kDataParallelSize);
    if (steps == nullptr || steps->value != Value("none") || !batch || !micro || !copies) return;
    const auto unit = checked_multiply(*micro, *copies);
    if (!unit || *batch % *unit == 0) return;
    const bool none = is("litgpt") && *batch < *unit;  // it accumulates over batch / (ranks x micro) > 0
    const bool stops = is_megatron(plan_) || is("torchtitan") || is("gpt-neox") || is("deepspeed") || none;
    Mismatch& one =
        add(stops ? "batch-rest" : "batch-cut",
            {{"batch", *batch}, {"micro", *micro}, {"copies", *copies}, {"unit", *unit}, {"rest", *batch % *unit}},
            setting::kGlobalBatchSize, stops, is_megatron(plan_) ? "checked-megatron-batch" : "");
    advise_batch(one, *batch, *unit);
  }

  // nanoGPT counts its accumulation over all ranks, and asserts that it can be shared out.
  void shared_accumulation() {
    const auto steps = whole(plan_, setting::kGradientAccumulation);
    const auto world = whole(plan_, setting::kWorldSize);
    if (!is("nanogpt") || !steps || !world || *steps % *world == 0) return;
    Mismatch& one =
        add("accumulation-rest", {{"steps", *steps}, {"ranks", *world}}, setting::kGradientAccumulation, true);
    const std::int64_t below = *steps / *world * *world;
    const std::int64_t above = below + *world;
    const std::int64_t nearest = below > 0 && *steps - below <= above - *steps ? below : above;
    advise(one, below > 0 ? "take-accumulation" : "take-accumulation-at-least",
           {{"name", name_of(plan_, setting::kGradientAccumulation)},
            {"below", below},
            {"above", above},
            {"ranks", *world}},
           setting::kGradientAccumulation, nearest);
  }

  // train_batch_size over micro x accumulation gives the ranks; no number of them gives a rest.
  void three_of_deepspeed() {
    const Derived* parallel = fact(setting::kDataParallelSize);
    const auto batch = whole(plan_, setting::kGlobalBatchSize);
    const auto micro = whole(plan_, setting::kMicroBatchSize);
    const auto steps = whole(plan_, setting::kGradientAccumulation);
    if (parallel == nullptr || parallel->value != Value("none") || !batch || !micro || !steps) return;
    const auto unit = checked_multiply(*micro, *steps);
    if (!unit || *batch % *unit == 0) return;
    Mismatch& one = add("no-ranks", {{"batch", *batch}, {"micro", *micro}, {"steps", *steps}, {"unit", *unit}},
                        setting::kGlobalBatchSize, true, "checked-deepspeed");
    advise_batch(one, *batch, *unit);
  }

  // DeepSpeed multiplies what its own file says; what the file leaves out ("auto", or nothing) the trainer fills in.
  std::optional<std::int64_t> beside(const Setting& batch, std::string_view key) const {
    const auto& all = plan_.run().config.settings;
    const auto own = std::find_if(all.rbegin(), all.rend(), [&](const Setting& one) {
      return one.key == key && one.number() && one.where.path == batch.where.path &&
             one.written.starts_with("--") == batch.written.starts_with("--");
    });
    const auto count = own == all.rend() ? std::nullopt : exact_integer(*own->number());
    return count && *count > 0 ? count : whole(plan_, key);
  }

  // The batch is said, and is not the product of what makes it.
  void product() {
    const Setting* said = plan_.setting(setting::kGlobalBatchSize);
    const auto batch = whole(plan_, setting::kGlobalBatchSize);
    if (said == nullptr || !batch) return;
    const auto micro = beside(*said, setting::kMicroBatchSize);
    const auto steps = beside(*said, setting::kGradientAccumulation);
    const auto copies = whole(plan_, setting::kDataParallelSize);
    const Derived* fact_of_batch = fact(setting::kGlobalBatchSize);
    if (fact_of_batch == nullptr || fact_of_batch->disagreement.en.empty()) return;
    const bool multiplies = is("deepspeed") || is("gpt-neox") || is("hf-trainer") || is("accelerate") || is("axolotl");
    if (!multiplies || !micro || !copies || plan_.setting(setting::kGradientAccumulation) == nullptr) return;
    const auto one_rank = checked_multiply(*micro, steps.value_or(1));
    const auto all = one_rank ? checked_multiply(*one_rank, *copies) : std::nullopt;
    if (!all || *all == *batch) return;
    const Values values = {{"name", name_of(plan_, setting::kGlobalBatchSize)},
                           {"batch", *batch},
                           {"product", *all},
                           {"micro", *micro},
                           {"steps", steps.value_or(1)},
                           {"copies", *copies}};
    const bool fits_more = one_node() && *batch > *all && *batch % *all == 0;
    Mismatch& one = add("product", values, setting::kGlobalBatchSize, !fits_more, "checked-deepspeed");
    if (fits_more) {
      one.actions.push_back({{"take-copies", {{"copies", *batch / *one_rank}}}, "", ActionRole::kBatch});
    } else {
      advise(one, "set-product", {{"name", name_of(plan_, setting::kGlobalBatchSize)}, {"product", *all}},
             setting::kGlobalBatchSize, *all);
    }
  }

  // A batch that grows has to come out at each of its sizes.
  void rampup() {
    const auto ramp = rampup_said(plan_.run().config);
    const auto batch = whole(plan_, setting::kGlobalBatchSize);
    if (!ramp || !batch || !is_megatron(plan_)) return;
    if (ramp->first > *batch || (*batch - ramp->first) % ramp->increment != 0) {
      add("ramp-increment", {{"first", ramp->first}, {"increment", ramp->increment}, {"batch", *batch}},
          setting::kBatchRampup, true, "checked-megatron-ramp");
      return;
    }
    const auto samples = whole(plan_, setting::kTrainSamples);
    if (samples && *samples < ramp->samples) {
      add("ramp-long", {{"samples", ramp->samples}, {"all", *samples}, {"batch", *batch}}, setting::kBatchRampup,
          false);
    }
    const auto micro = whole(plan_, setting::kMicroBatchSize);
    const auto copies = whole(plan_, setting::kDataParallelSize);
    const auto unit = micro && copies ? checked_multiply(*micro, *copies) : std::nullopt;
    if (!unit || (ramp->first % *unit == 0 && ramp->increment % *unit == 0)) return;
    const std::int64_t at = ramp->first % *unit != 0 ? ramp->first : ramp->first + ramp->increment;
    add("ramp-rest", {{"at", at}, {"micro", *micro}, {"copies", *copies}, {"unit", *unit}}, setting::kBatchRampup, true,
        "checked-megatron-ramp");
  }

  // Stages wait while a pipeline fills and drains: of m + p - 1 turns each works in m. Megatron's interleaved schedule
  // takes micro-batches in groups of p.
  void bubble() {
    const auto stages = whole(plan_, setting::kPipelineParallelSize);
    const auto steps = whole(plan_, setting::kGradientAccumulation);
    if (!stages || !steps || *stages == 1 || !is_megatron(plan_)) return;
    const auto& all = plan_.run().config.settings;
    const bool interleaved = std::any_of(all.begin(), all.end(), [](const Setting& one) {
      return one.key.find("virtual") != std::string::npos && one.value != "None" && one.value != "0";
    });
    if (interleaved && *steps % *stages != 0) {
      add("interleaved", {{"steps", *steps}, {"stages", *stages}}, setting::kPipelineParallelSize, true,
          "checked-megatron-interleaved");
      return;
    }
    const double busy = static_cast<double>(*steps) / static_cast<double>(*steps + *stages - 1);
    if (busy >= kBusy) return;
    Mismatch& one = add(
        "bubble", {{"steps", *steps}, {"stages", *stages}, {"share", Value(std::round(100 * busy), Unit::kPercent)}},
        setting::kPipelineParallelSize, false);
    one.slow = true;
    one.actions.push_back({{"more-accumulation", {{"steps", 4 * (*stages - 1)}}}, "", ActionRole::kBatch});
  }

  const Plan& plan_;
  std::vector<Mismatch> out_;
};

}  // namespace

std::vector<Mismatch> batch_mismatches(const Plan& plan) { return BatchChecks(plan).take(); }

}  // namespace assay
