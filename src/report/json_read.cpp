// A saved report becomes a report again. The file comes from outside, so nothing in it is believed: a member that is
// absent or of another kind is an error that names where it should have been, never a crash and never a guess.

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/json_names.h"
#include "report/render.h"

namespace assay {

namespace {

using Json = nlohmann::ordered_json;
using json_names::from_name;

// Thrown by the reader below and caught at its only entrance.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Node {
 public:
  Node(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  Node operator[](const char* member) const {
    if (!json_.is_object()) complain("an object");
    const auto found = json_.find(member);
    if (found == json_.end()) throw Malformed(path_ + "." + member + " is missing");
    return {*found, path_ + "." + member};
  }
  /// Present, perhaps null.
  bool has(const char* member) const {
    if (!json_.is_object()) complain("an object");
    return json_.contains(member);
  }
  /// Absent or null.
  bool lacks(const char* member) const {
    if (!json_.is_object()) complain("an object");
    const auto found = json_.find(member);
    return found == json_.end() || found->is_null();
  }
  Node at(std::size_t index) const {
    if (!json_.is_array() || index >= json_.size()) complain("longer");
    return {json_[index], path_ + "[" + std::to_string(index) + "]"};
  }
  std::size_t size() const {
    if (!json_.is_array()) complain("an array");
    return json_.size();
  }

  std::string text() const {
    if (!json_.is_string()) complain("a string");
    return json_.get<std::string>();
  }
  std::string bits() const {
    if (text().find_first_not_of("01") != std::string::npos) complain("made of 0 and 1");
    return text();
  }
  std::string text_or_none() const { return json_.is_null() ? std::string() : text(); }
  bool truth() const {
    if (!json_.is_boolean()) complain("true or false");
    return json_.get<bool>();
  }
  std::int64_t count() const {
    if (!json_.is_number_integer()) complain("an integer");
    if (json_.is_number_unsigned() && json_.get<std::uint64_t>() > INT64_MAX) complain("a smaller integer");
    return json_.get<std::int64_t>();
  }
  int small() const {
    const std::int64_t value = count();
    if (value < -1 || value > std::numeric_limits<int>::max()) complain("a smaller integer");
    return static_cast<int>(value);
  }
  double number() const {
    if (json_.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!json_.is_number()) complain("a number or null");
    return json_.get<double>();
  }
  StepRange range() const {
    if (size() != 2) complain("[first, last]");
    return {at(0).count(), at(1).count()};
  }
  /// A value of a table: a number, a word or a range of steps.
  Value plain() const {
    if (json_.is_string()) return text();
    if (json_.is_array()) return range();
    if (json_.is_number_integer()) return count();
    if (!json_.is_number()) complain("a number, a word or a range");
    return json_.get<double>();
  }
  template <class Names>
  auto one_of(const Names& names) const {
    const auto value = from_name(names, text());
    if (!value) complain("a known word");
    return *value;
  }
  template <class Function>
  auto all(const Function& function) const {
    std::vector<decltype(function(at(0)))> out;
    const std::size_t length = size();
    out.reserve(length);
    for (std::size_t i = 0; i < length; ++i) out.push_back(function(at(i)));
    return out;
  }
  template <class Function>
  void each_member(const Function& function) const {
    if (!json_.is_object()) complain("an object");
    for (const auto& [name, value] : json_.items()) function(name, Node(value, path_ + "." + name));
  }

 private:
  [[noreturn]] void complain(const std::string& wanted) const { throw Malformed(path_ + " is not " + wanted); }
  const Json& json_;
  std::string path_;
};

std::string text_of(const Node& node) { return node.text(); }
Text both(const Node& node) { return {node["en"].text(), node["zh"].text()}; }

Value value_of(const Node& node) {
  Value out;
  if (!node.lacks("count")) {
    out.data = node["count"].count();
  } else if (!node.lacks("steps")) {
    out.data = node["steps"].range();
  } else if (!node.lacks("word")) {
    out.data = node["word"].text();
  } else {
    double number = node["number"].number();
    if (!node.lacks("is")) {
      const std::string is = node["is"].text();
      if (is == "Inf") number = std::numeric_limits<double>::infinity();
      if (is == "-Inf") number = -std::numeric_limits<double>::infinity();
    }
    out.data = number;
  }
  if (!node.lacks("unit")) out.unit = node["unit"].one_of(json_names::kUnits);
  return out;
}

Phrase phrase_of(const Node& node) {
  Phrase out;
  out.key = node["key"].text();
  node["values"].each_member(
      [&](const std::string& name, const Node& value) { out.values.emplace_back(name, value_of(value)); });
  return out;
}

Location location_of(const Node& node) {
  Location out;
  out.path = node["path"].text();
  if (!node.lacks("line")) out.line = node["line"].count();
  if (node.has("record")) out.unit = PlaceUnit::kRecord;
  if (!node.lacks("record")) out.line = node["record"].count();
  if (!node.lacks("byte")) out.byte = node["byte"].count();
  if (!node.lacks("run")) out.run = node["run"].text();
  if (!node.lacks("segment")) out.segment = node["segment"].small();
  if (!node.lacks("steps")) out.steps = node["steps"].range();
  return out;
}

Curve curve_of(const Node& node) {
  Curve out;
  out.metric = node["metric"].text();
  out.last_step = node["last_step"].count();
  if (!node.lacks("marked")) out.marked = node["marked"].range();
  out.buckets = node["buckets"].all([](const Node& bucket) {
    return Curve::Bucket{bucket.at(0).count(), bucket.at(1).number(), bucket.at(2).number(), bucket.at(3).truth()};
  });
  return out;
}

Evidence evidence_of(const Node& node) {
  Evidence out;
  if (!node.lacks("phrase")) out.text = phrase_of(node["phrase"]);
  if (!node.lacks("curve")) out.curve = curve_of(node["curve"]);
  if (!node.lacks("where")) out.where = location_of(node["where"]);
  return out;
}

Finding finding_of(const Node& node) {
  Finding out;
  out.id = node["id"].text();
  out.name = node["name"].text();
  out.severity = node["severity"].one_of(json_names::kSeverities);
  out.confidence = node["confidence"].number();
  out.impact = node["impact"].number();
  out.message = phrase_of(node["phrase"]);
  if (!node.lacks("where")) out.where = location_of(node["where"]);
  out.also = node["also"].all(location_of);
  out.evidence = node["evidence"].all(evidence_of);
  out.actions = node["actions"].all(
      [](const Node& action) { return Action{phrase_of(action["phrase"]), action["command"].text_or_none()}; });
  out.because_of = node["because_of"].all(text_of);
  return out;
}

SeriesSummary series_of(const Node& node) {
  SeriesSummary out;
  out.metric = node["metric"].text();
  out.printed_as = node["printed_as"].text();
  out.unit = node["unit"].one_of(json_names::kUnits);
  out.segment = node["segment"].small();
  out.points = node["points"].count();
  out.non_finite = node["non_finite"].count();
  out.steps = node["steps"].range();
  out.first = node["first"].number();
  out.last = node["last"].number();
  out.least = node["least"].number();
  out.greatest = node["greatest"].number();
  out.median = node["median"].number();
  if (!node.lacks("curve")) out.curve = curve_of(node["curve"]);
  return out;
}

Event event_of(const Node& node, EventKind kind) {
  Event out;
  out.kind = kind;
  if (!node.lacks("step")) out.step = node["step"].count();
  if (!node.lacks("before")) out.before = node["before"].number();
  if (!node.lacks("after")) out.after = node["after"].number();
  out.text = node["text"].text();
  return out;
}

Location place_of_event(const Node& node) {
  Location out;
  out.line = node["line"].count();
  if (!node.lacks("path")) out.path = node["path"].text();  // older reports do not tell
  if (!node.lacks("unit")) out.unit = node["unit"].one_of(json_names::kPlaceUnits);
  return out;
}

EventCount event_count_of(const Node& node) {
  EventCount out;
  out.kind = node["kind"].one_of(json_names::kEvents);
  out.count = node["count"].count();
  out.first = event_of(node["first"], out.kind);
  out.last = event_of(node["last"], out.kind);
  out.first_where = place_of_event(node["first"]);
  out.last_where = place_of_event(node["last"]);
  return out;
}

RunSummary run_of(const Node& node) {
  RunSummary out;
  out.id = node["id"].text();
  if (!node.lacks("sources")) {
    out.sources = node["sources"].all([](const Node& item) {
      SourceSummary one{item["path"].text(), item["kind"].text(), item["role"].one_of(json_names::kRoles)};
      if (!item.lacks("unit")) one.unit = item["unit"].one_of(json_names::kPlaceUnits);
      return one;
    });
  } else {  // older reports do not tell roles
    for (std::string& path : node["paths"].all(text_of))
      out.sources.push_back({std::move(path), "", SourceRole::kMain});
  }
  out.dialect = node["dialect"].text();
  out.axis = node["axis"].text();
  out.kind.kind = node["kind"].one_of(json_names::kKinds);
  if (!node.lacks("kind_confidence")) out.kind.confidence = node["kind_confidence"].number();
  if (!node.lacks("kind_because")) out.kind.because = both(node["kind_because"]);
  if (!node.lacks("experts")) out.kind.experts = node["experts"].truth();
  out.segments = node["segments"].small();
  out.records = node["records"].count();
  if (!node.lacks("steps")) out.steps = node["steps"].range();
  if (!node.lacks("planned_steps")) out.planned_steps = node["planned_steps"].count();
  out.series = node["series"].all(series_of);
  out.interpretations = node["interpretations"].all([](const Node& item) {
    return Interpretation{item["key"].text(), item["metric"].text(), item["factor"].number(), item["count"].count(),
                          location_of(item["where"])};
  });
  out.settings = node["settings"].all([](const Node& item) {
    Setting one{item["key"].text(), item["value"].text(), location_of(item["where"])};
    if (!item.lacks("written")) one.written = item["written"].text();  // older reports do not tell
    if (!item.lacks("unknown")) one.unknown = item["unknown"].text();
    return one;
  });
  if (!node.lacks("derived")) {  // older reports do not tell
    out.derived = node["derived"].all([](const Node& item) {
      Derived one{
          item["name"].text(), value_of(item["value"]), both(item["arithmetic"]), {}, item["from"].all(text_of)};
      if (!item.lacks("disagreement")) one.disagreement = both(item["disagreement"]);
      return one;
    });
  }
  out.events = node["events"].all(event_count_of);
  return out;
}

Cell cell_of(const Node& row, const char* column) {
  Cell out;
  if (!row["values"].lacks(column)) out.value = row["values"][column].plain();
  if (!row["texts"].lacks(column)) out.text = both(row["texts"][column]);
  return out;
}

Table table_of(const Node& node) {
  Table out;
  out.key = node["key"].text();
  out.columns = node["columns"].all([](const Node& column) {
    return TableColumn{column["key"].text(), both(column["title"]), column["right"].truth(),
                       column["shown"].one_of(json_names::kShown)};
  });
  out.rows = node["rows"].all([&](const Node& row) {
    TableRow one{row["key"].text(), {}};
    for (const TableColumn& column : out.columns) one.cells.push_back(cell_of(row, column.key.c_str()));
    return one;
  });
  return out;
}

BitPattern pattern_of(const Node& node) {
  return {both(node["title"]), node["fields"].all([](const Node& field) {
            return BitField{field["kind"].one_of(json_names::kBitFields), field["bits"].bits()};
          })};
}

Section section_of(const Node& node) {
  Section out;
  out.key = node["key"].text();
  if (!node.lacks("run")) out.run = node["run"].text();
  out.title = both(node["title"]);
  out.patterns = node["patterns"].all(pattern_of);
  out.text = both(node["text"]);
  out.tables = node["tables"].all(table_of);
  out.curves = node["curves"].all(curve_of);
  return out;
}

Error error_of(const Node& node) {
  return {node["code"].one_of(json_names::kErrorCodes), node["message"].text(), location_of(node["where"]),
          node["hint"].text_or_none()};
}

FileRecord file_of(const Node& node) {
  FileRecord out;
  out.path = node["path"].text();
  out.kind = node["kind"].text();
  out.codec = node["codec"].text_or_none();
  out.state = node["state"].one_of(json_names::kStates);
  out.named = node["named"].truth();
  out.bytes = node["bytes"].count();
  if (!node.lacks("unit")) out.unit = node["unit"].one_of(json_names::kPlaceUnits);
  out.lines = node["lines"].count();
  out.records = node["records"].count();
  out.unused_lines = node["unused_lines"].count();
  if (!node.lacks("left_out")) {
    out.left_out = node["left_out"].all([](const Node& one) { return one.text(); });
    out.left_out_count = node["left_out_count"].count();
  }
  if (!node.lacks("lost_bytes")) out.lost_bytes = node["lost_bytes"].count();
  if (!node.lacks("settings")) out.settings = node["settings"].count();  // older reports do not tell
  if (!node.lacks("framework")) out.framework = node["framework"].text();
  out.repeated_lines = node["repeated_lines"].count();
  out.truncated = node["truncated"].truth();
  out.unused = node["unused"].all([](const Node& kind) {
    return UnusedKind{kind["example"].text(), kind["why"].text(), kind["count"].count(), kind["first_line"].count()};
  });
  out.problems = node["problems"].all(error_of);
  out.problem_count = node["problem_count"].count();
  if (!node.lacks("error")) out.error = error_of(node["error"]);
  if (!node.lacks("run")) out.run = node["run"].text();
  if (!node.lacks("could_be_of")) out.could_be_of = node["could_be_of"].count();
  return out;
}

RuleRecord rule_of(const Node& node) {
  RuleRecord out;
  out.name = node["name"].text();
  out.family = node["family"].text();
  // Reports before the field had no phenomenon that is a reason.
  out.tells_why = node.lacks("tells_why") ? out.family != "phenomenon" : node["tells_why"].truth();
  out.title = both(node["title"]);
  out.sentences = node["sentences"].all(
      [](const Node& item) { return Sentence{item["key"].text(), Text{item["en"].text(), item["zh"].text()}}; });
  return out;
}

CorpusSummary corpus_of(const Node& node) {
  CorpusSummary out;
  out.lines = node["lines"].count();
  out.documents = node["documents"].count();
  out.bytes = node["bytes"].count();
  out.lost_lines = node["lost_lines"].count();
  out.abnormal_documents = node["abnormal_documents"].count();
  out.abnormal_bytes = node["abnormal_bytes"].count();
  out.sample = node["sample"].number();
  return out;
}

Report report_of(const Node& node) {
  Report out;
  const std::int64_t schema = node["schema"].count();
  if (schema != json_names::kSchema) {
    throw Malformed("schema " + std::to_string(schema) + ": this assay reads schema " +
                    std::to_string(json_names::kSchema));
  }
  out.tool_version = node["tool"]["version"].text();
  out.arguments = node["arguments"].all(text_of);
  out.complete = node["complete"].truth();
  out.judged = node["judged"].truth();
  if (!node.lacks("study")) {
    out.study = node["study"].text();
    out.answer = both(node["answer"]);
  }
  out.runs = node["runs"].all(run_of);
  out.findings = node["findings"].all(finding_of);
  if (!node.lacks("corpus")) out.corpus = corpus_of(node["corpus"]);
  out.sections = node["sections"].all(section_of);
  out.files = node["files"].all(file_of);
  if (!node.lacks("beside")) {
    out.beside = node["beside"].all(
        [](const Node& one) { return Beside{one["path"].text(), one["role"].one_of(json_names::kRoles)}; });
  }
  const Node rules = node["rules"];
  out.rules_run = rules["run"].all(text_of);
  out.not_applicable = rules["not_applicable"].all(
      [](const Node& one) { return RuleNotApplied{one["rule"].text(), phrase_of(one["phrase"])}; });
  out.ignored =
      rules["ignored"].all([](const Node& one) { return IgnoredName{one["name"].text(), one["findings"].count()}; });
  if (!rules.lacks("thresholds")) {  // older reports do not tell
    out.thresholds = rules["thresholds"].all(
        [](const Node& one) { return Threshold{one["name"].text(), one["value"].number(), one["default"].number()}; });
  }
  out.rules = rules["records"].all(rule_of);
  return out;
}

}  // namespace

Result<Report> parse_report(const std::string& json) {
  const Json tree = Json::parse(json, nullptr, false);
  if (tree.is_discarded()) return fail(ErrorCode::kCorrupt, "not JSON");
  try {
    return report_of(Node(tree, "report"));
  } catch (const std::exception& error) {
    return fail(ErrorCode::kCorrupt, std::string("not a saved report: ") + error.what(), {},
                "'assay check PATH --format json -o FILE' saves one");
  }
}

}  // namespace assay
