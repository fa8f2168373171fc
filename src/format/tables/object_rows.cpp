#include "format/tables/object_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "assay/metric.h"
#include "base/bytes.h"
#include "format/config/flat_settings.h"
#include "format/tables/decimal.h"
#include "format/tables/ledger.h"
#include "format/tables/number.h"

namespace assay {

using Token = JsonScanner::Token;

namespace {

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 32)) * 0x9e3779b97f4a7c15;
  return value ^ (value >> 29);
}

}  // namespace

void ObjectRows::begin() {
  items_.clear();
  last_key_ = kNoKey;
  shape_hash_ = 0;
}

void ObjectRows::add(std::uint32_t key, std::string_view json) {
  double number = 0;
  if (key != kNoKey && read_decimal(json.data(), json.data() + json.size(), number) == json.data() + json.size()) {
    items_.push_back({key, ItemKind::kNumber, number, json});
    return;
  }
  JsonScanner scanner(json);
  read_value(scanner, key, 1);
}

Token ObjectRows::read(JsonScanner& scanner) {
  begin();
  return read_members(scanner, kNoKey, 1);
}

Token ObjectRows::read_members(JsonScanner& scanner, std::uint32_t parent, std::size_t depth) {
  for (;;) {
    const Token token = scanner.next();
    if (token != Token::kKey) return token;
    const std::uint32_t key = find_key(parent, scanner.text());
    const Token value = read_value(scanner, key, depth);
    if (value == Token::kCut || value == Token::kError) return value;
  }
}

// Anything but kCut and kError: the value was read.
Token ObjectRows::read_value(JsonScanner& scanner, std::uint32_t key, std::size_t depth) {
  const Token token = scanner.next();
  switch (token) {
    case Token::kObject:
      return key == kNoKey || depth >= kDeepestPath ? scanner.skip() : read_members(scanner, key, depth + 1);
    case Token::kArray: return read_array(scanner, key);
    case Token::kNumber:
      if (key != kNoKey) items_.push_back({key, ItemKind::kNumber, scanner.number(), scanner.text()});
      break;
    case Token::kString:
      if (key != kNoKey) add_text(key, scanner.text(), scanner.escaped());
      break;
    case Token::kTrue:
    case Token::kFalse:
      if (key != kNoKey) {
        const bool flag = keys_[key].means_flag;
        const std::string_view text = token == Token::kTrue ? "true" : "false";
        items_.push_back({key, flag ? ItemKind::kNumber : ItemKind::kText, token == Token::kTrue ? 1.0 : 0.0, text});
      }
      break;
    case Token::kNull:
      if (key != kNoKey) items_.push_back({key, ItemKind::kNothing, 0, {}});
      break;
    default: break;
  }
  return token;
}

// Frameworks log a learning rate for each group of parameters: the first stands for all. A list under an unknown key is
// a histogram or a text, unless it holds one number.
Token ObjectRows::read_array(JsonScanner& scanner, std::uint32_t key) {
  std::size_t count = 0;
  std::optional<double> first;
  std::string_view text;
  for (;;) {
    const Token token = scanner.next();
    if (token == Token::kCut || token == Token::kError) return token;
    if (token == Token::kEndArray) break;
    if (token == Token::kNumber && count == 0) {
      first = scanner.number();
      text = scanner.text();
    }
    ++count;
    if (token != Token::kObject && token != Token::kArray) continue;
    const Token inside = scanner.skip();
    if (inside != Token::kEnd) return inside;
  }
  if (key != kNoKey && first && (count == 1 || keys_[key].means_metric)) {
    items_.push_back({key, ItemKind::kNumber, *first, text});
  }
  return Token::kEndArray;
}

void ObjectRows::add_text(std::uint32_t key, std::string_view text, bool escaped) {
  if (!escaped) {
    if (const auto number = parse_number(text)) {
      items_.push_back({key, ItemKind::kNumber, *number, text});
      return;
    }
    if (is_no_value(text)) {
      items_.push_back({key, ItemKind::kNothing, 0, text});
      return;
    }
  }
  items_.push_back({key, ItemKind::kText, 0, text});
}

std::uint32_t ObjectRows::find_key(std::uint32_t parent, std::string_view raw) {
  const std::uint32_t guess = last_key_ == kNoKey ? first_of_row_ : links_[last_key_].follows;
  std::uint32_t found = kNoKey;
  if (guess != kNoKey && links_[guess].parent == parent && links_[guess].raw == raw) {
    found = guess;
  } else {
    const std::uint64_t hash = mixed(std::hash<std::string_view>{}(raw) + parent);
    const auto at = lookup_.find(hash);
    found = at == lookup_.end() ? kNoKey : at->second;
    while (found != kNoKey && (links_[found].parent != parent || links_[found].raw != raw)) {
      found = links_[found].same_hash;
    }
    if (found == kNoKey) found = make_key(parent, raw, hash);
    if (found == kNoKey) return kNoKey;
    (last_key_ == kNoKey ? first_of_row_ : links_[last_key_].follows) = found;
  }
  last_key_ = found;
  shape_hash_ += mixed(found + 1);
  return found;
}

std::uint32_t ObjectRows::make_key(std::uint32_t parent, std::string_view raw, std::uint64_t hash) {
  const std::string name = raw.size() <= NameLimit::kLongestName ? json_unescaped(raw) : std::string(raw);
  const bool top = parent == kNoKey || parent == kMetricNames;
  std::string path = top ? name : keys_[parent].path + "/" + name;
  if (!limit_.admits(keys_.size(), path)) return kNoKey;
  Key key;
  key.path = std::move(path);
  const auto meaning = meaning_of_column(key.path);
  key.means_metric = meaning && meaning->role == KeyRole::kMetric;
  key.means_flag = key.means_metric && meaning->metric == metric::kOverflow;
  key.facts.key = key.path;
  if (planned_) key.plan = plan_.plan_late(key.path);
  if (key.plan.left_out) recorder_.left_out(key.path);
  keys_.push_back(std::move(key));
  const auto id = static_cast<std::uint32_t>(keys_.size() - 1);
  const auto [first, fresh] = lookup_.emplace(hash, id);
  links_.push_back({std::string(raw), parent, kNoKey, fresh ? kNoKey : first->second});
  first->second = id;
  return id;
}

void ObjectRows::observe() {
  ++observed_;
  for (const Item& item : items_) {
    KeyFacts& facts = keys_[item.key].facts;
    if (item.kind == ItemKind::kNumber) facts.see_number(item.number);
    if (item.kind == ItemKind::kText) facts.see_text(item.text);
  }
}

const TablePlan& ObjectRows::plan(Quirk loss_quirks) {
  loss_quirks_ = loss_quirks;
  std::vector<KeyFacts> facts;
  for (const Key& key : keys_) facts.push_back(key.facts);
  plan_ = TablePlan(facts, observed_);
  planned_ = true;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    keys_[i].plan = plan_.keys()[i];
    if (keys_[i].plan.left_out) recorder_.left_out(keys_[i].path);
  }
  if (!plan_.axis().empty()) recorder_.axis(plan_.axis());
  return plan_;
}

// Columns are made when their first value comes: a key that is always null leaves none.
void ObjectRows::put(Recorder::Column& column, const KeyPlan& plan, double value) {
  if (plan.use != KeyUse::kValue) return;
  if (column == kNoColumn) {
    const Quirk quirks = plan.metric == metric::kLoss ? loss_quirks_ : Quirk::kNone;
    column = recorder_.column(plan.metric, plan.printed_as, plan.unit, quirks);
  }
  recorder_.put(column, value * plan.factor);
}

bool ObjectRows::has_key(std::string_view path) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const Key& key) { return key.path == path; });
}

bool ObjectRows::row_looks_like_log() const {
  bool step = false;
  bool loss = false;
  for (const Item& item : items_) {
    const auto meaning = meaning_of_column(keys_[item.key].path);
    if (!meaning || item.kind != ItemKind::kNumber) continue;
    step = step || meaning->role == KeyRole::kStep || meaning->metric == metric::kEpoch;
    loss = loss || meaning->metric == metric::kLoss || meaning->metric == metric::kEvalLoss;
  }
  return step && loss;
}

// Rows of equal keys come from one statement of the program (some writers put them in another order each time).
std::int64_t ObjectRows::shape_of_row() {
  const auto at = shapes_.find(shape_hash_);
  if (at != shapes_.end()) return at->second;
  const auto shape = static_cast<std::int64_t>(shapes_.size()) + 1;
  if (shapes_.size() < kMostShapes) shapes_.emplace(shape_hash_, shape);
  return shape;
}

// What a row tells beside its values.
struct ObjectRows::Header {
  std::int64_t step = kNoStep;
  std::int64_t rank = kNoRank;
  DataSplit split = DataSplit::kTraining;
  bool has_axis = false;
  bool has_number = false;
  bool has_loss = false;
  std::string_view name;  // long form
  std::optional<double> value;
};

ObjectRows::Header ObjectRows::read_header(std::int64_t line) {
  Header header;
  for (const Item& item : items_) {
    const KeyPlan& plan = keys_[item.key].plan;
    const bool number = item.kind == ItemKind::kNumber;
    switch (plan.use) {
      case KeyUse::kAxis: {
        if (!number) break;
        header.has_axis = true;
        if (const auto step = exact_integer(item.number)) {
          header.step = *step;
          break;
        }
        tell_problem(recorder_, ErrorCode::kCorrupt,
                     fmt::format("{} {} is no step", plan_.axis(), printable_utf8(item.text)), line);
        break;
      }
      case KeyUse::kTotalSteps:
        if (const auto steps = number ? exact_integer(item.number) : std::nullopt; steps && *steps > 0) {
          recorder_.planned_steps(*steps);
        }
        break;
      case KeyUse::kRank:
        if (const auto rank = number ? exact_integer(item.number) : std::nullopt) header.rank = *rank;
        break;
      case KeyUse::kSplit:
        if (item.kind == ItemKind::kText) header.split = split_of(item.text).value_or(DataSplit::kTraining);
        break;
      case KeyUse::kMetricName: header.name = item.text; break;
      case KeyUse::kMetricValue:
        if (number) header.value = item.number;
        break;
      case KeyUse::kValue:
        header.has_number = header.has_number || number;
        header.has_loss = header.has_loss || plan.metric == metric::kLoss || plan.metric == metric::kEvalLoss;
        break;
      case KeyUse::kSkip: break;
    }
  }
  return header;
}

void ObjectRows::record(std::int64_t line, std::string_view text) {
  const Header header = read_header(line);
  if (plan_.long_form()) return record_measurement(header, line, text);
  // What stands before the first row with a step and has none is what the run was started with.
  if (!plan_.axis().empty() && !header.has_axis && !axis_seen_ && !header.has_loss) return record_settings(line);
  axis_seen_ = axis_seen_ || header.has_axis;
  if (!header.has_axis && !header.has_number) return recorder_.unused(text, line, "an object without a number");
  const bool evaluation = header.split == DataSplit::kEvaluation;
  recorder_.begin_row(header.step, line, header.rank, shape_of_row());
  for (const Item& item : items_) {
    if (item.kind != ItemKind::kNumber) continue;
    Key& key = keys_[item.key];
    if (key.plan.use != KeyUse::kValue) continue;
    if (!evaluation) {
      put(key.column, key.plan, item.number);
      continue;
    }
    if (!std::exchange(key.evaluation_planned, true)) key.evaluation = plan_.plan_evaluation(key.path);
    put(key.evaluation_column, key.evaluation, item.number);
  }
}

void ObjectRows::record_settings(std::int64_t line) {
  std::vector<FlatSetting> settings;
  for (const Item& item : items_) {
    if (item.kind == ItemKind::kNothing) continue;
    settings.push_back({keys_[item.key].path, json_unescaped(item.text), line});
  }
  assay::record_settings(settings, recorder_);
}

void ObjectRows::record_measurement(const Header& header, std::int64_t line, std::string_view text) {
  if (header.name.empty() || !header.value) {
    return recorder_.unused(text, line, "an object without the name of a metric and a value");
  }
  const std::uint32_t id = find_key(kMetricNames, header.name);
  if (id == kNoKey || keys_[id].plan.use != KeyUse::kValue) return;
  Key& key = keys_[id];
  if (key.column == kNoColumn) key.column = recorder_.column(key.plan.metric, key.plan.printed_as, key.plan.unit);
  pivot_.add(key.column, header.step, *header.value * key.plan.factor, line);
}

}  // namespace assay
