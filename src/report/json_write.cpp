// The complete form of a report. docs/schema/report.schema.json describes it, a test holds them together.
//
// Strict JSON: what is not finite is null, what is not UTF-8 is escaped. Each sentence stands there twice: as text in
// the language asked for, for whoever reads the file, and as its key and values, so that `assay report` can render it
// again in either language. A value says its kind by the name of its member: {"number": 2.61, "unit": "nats"},
// {"count": 12}, {"steps": [1912, 9800]}, {"word": "grad_norm"}; a number that is not finite has "number": null and
// "is": "NaN", "Inf" or "-Inf". In the tables of sections values are plain JSON, by the keys of row and column, for
// scripts to take; one that is not finite is a string, and so is one that has more digits than a double.

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/display.h"
#include "report/json_names.h"
#include "report/render.h"
#include "report/verdict.h"
#include "report/words.h"

namespace assay {

namespace {

using Json = nlohmann::ordered_json;
using json_names::to_name;

class Writer {
 public:
  Writer(const Report& report, const RenderOptions& options) : report_(report), language_(options.language) {}

  Json whole() const {
    Json out;
    out["schema"] = json_names::kSchema;
    out["tool"] = {{"name", "assay"}, {"version", text(report_.tool_version)}};
    out["language"] = language_ == Language::kChinese ? "zh" : "en";
    out["arguments"] = all(report_.arguments, [](const std::string& one) { return text(one); });
    out["complete"] = report_.complete;
    out["judged"] = report_.judged;
    out["verdict"] = report_.judged ? verdict() : Json();
    if (!report_.study.empty()) {
      out["study"] = text(report_.study);
      out["answer"] = both(report_.answer);
    }
    out["runs"] = all(report_.runs, [this](const RunSummary& one) { return run(one); });
    out["findings"] = all(report_.findings, [this](const Finding& one) { return finding(one); });
    if (report_.corpus) {
      const CorpusSummary& corpus = *report_.corpus;
      out["corpus"] = {{"lines", corpus.lines},
                       {"documents", corpus.documents},
                       {"bytes", corpus.bytes},
                       {"lost_lines", corpus.lost_lines},
                       {"abnormal_documents", corpus.abnormal_documents},
                       {"abnormal_bytes", corpus.abnormal_bytes},
                       {"sample", corpus.sample}};
    }
    out["sections"] = all(report_.sections, section);
    out["files"] = all(report_.files, [](const FileRecord& one) { return file(one); });
    out["beside"] = all(report_.beside, [](const Beside& one) {
      return Json{{"path", text(one.path)}, {"role", to_name(json_names::kRoles, one.role)}};
    });
    out["rules"] = rules();
    return out;
  }

  Json verdict() const {
    const Counts counts = count_findings(report_);
    return {{"text", text(verdict_line(report_, language_))},
            {"headline", text(headline(report_, language_))},
            {"errors", counts.errors},
            {"warnings", counts.warnings},
            {"notes", counts.notes}};
  }

  Json finding(const Finding& one) const {
    const RuleRecord* rule = rule_record(report_, one.name);
    const Axis axis = axis_of(run_of(report_, one));
    Json out;
    out["id"] = text(one.id);
    out["name"] = text(one.name);
    out["severity"] = to_name(json_names::kSeverities, one.severity);
    out["confidence"] = number(one.confidence);
    out["impact"] = number(one.impact);
    out["message"] = text(sentence(rule, one.message, language_, axis));
    out["phrase"] = phrase(one.message);
    out["where"] = one.where ? location(*one.where) : Json();
    out["also"] = all(one.also, [](const Location& place) { return location(place); });
    out["evidence"] = all(one.evidence, [&](const Evidence& evidence) {
      Json item;
      item["text"] = evidence.text.key.empty() ? Json() : text(sentence(rule, evidence.text, language_, axis));
      item["phrase"] = evidence.text.key.empty() ? Json() : phrase(evidence.text);
      item["curve"] = evidence.curve ? curve(*evidence.curve) : Json();
      item["where"] = evidence.where ? location(*evidence.where) : Json();
      return item;
    });
    out["actions"] = all(one.actions, [&](const Action& action) {
      Json item;
      item["text"] = text(sentence(rule, action.text, language_, axis));
      item["phrase"] = phrase(action.text);
      item["command"] = action.command.empty() ? Json() : text(action.command);
      return item;
    });
    out["because_of"] = all(one.because_of, [](const std::string& id) { return text(id); });
    return out;
  }

 private:
  template <class Items, class Function>
  static Json all(const Items& items, const Function& function) {
    Json out = Json::array();
    for (const auto& item : items) out.push_back(function(item));
    return out;
  }

  static Json text(std::string_view value) { return valid_utf8(value); }
  static Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
  static Json range(const StepRange& steps) { return Json::array({steps.first, steps.last}); }
  static Json both(const Text& value) { return {{"en", text(value.en)}, {"zh", text(value.zh)}}; }

  static Json value(const Value& one) {
    Json out = Json::object();
    if (const auto* real = std::get_if<double>(&one.data)) {
      out["number"] = number(*real);
      if (std::isnan(*real)) out["is"] = "NaN";
      if (std::isinf(*real)) out["is"] = *real > 0 ? "Inf" : "-Inf";
    } else if (const auto* count = std::get_if<std::int64_t>(&one.data)) {
      out["count"] = *count;
    } else if (const auto* steps = std::get_if<StepRange>(&one.data)) {
      out["steps"] = range(*steps);
    } else {
      out["word"] = text(std::get<std::string>(one.data));
    }
    if (one.unit != Unit::kNone) out["unit"] = to_name(json_names::kUnits, one.unit);
    return out;
  }

  static Json phrase(const Phrase& one) {
    Json values = Json::object();
    for (const auto& [name, filled] : one.values) values[valid_utf8(name)] = value(filled);
    return {{"key", text(one.key)}, {"values", std::move(values)}};
  }

  static Json location(const Location& one) {
    Json out;
    out["path"] = text(one.path);
    const bool records = one.unit == PlaceUnit::kRecord;
    out["line"] = one.line > 0 && !records ? Json(one.line) : Json();
    if (records) out["record"] = one.line > 0 ? Json(one.line) : Json();
    if (one.byte >= 0) out["byte"] = one.byte;
    if (!one.run.empty()) out["run"] = text(one.run);
    if (one.segment >= 0) out["segment"] = one.segment;
    out["steps"] = one.steps ? range(*one.steps) : Json();
    return out;
  }

  static Json curve(const Curve& one) {
    Json out;
    out["metric"] = text(one.metric);
    out["last_step"] = one.last_step;
    out["marked"] = one.marked ? range(*one.marked) : Json();
    out["buckets"] = all(one.buckets, [](const Curve::Bucket& bucket) {
      return Json::array({bucket.first_step, number(bucket.low), number(bucket.high), bucket.non_finite});
    });
    return out;
  }

  static Json event(const Event& one, const Location& where) {
    Json out;
    out["path"] = text(where.path);
    out["step"] = one.step ? Json(*one.step) : Json();
    out["line"] = where.line;
    if (where.unit == PlaceUnit::kRecord) out["unit"] = to_name(json_names::kPlaceUnits, where.unit);
    out["before"] = one.before ? number(*one.before) : Json();
    out["after"] = one.after ? number(*one.after) : Json();
    out["text"] = text(one.text);
    return out;
  }

  static Json series(const SeriesSummary& one) {
    Json out;
    out["metric"] = text(one.metric);
    out["printed_as"] = text(one.printed_as);
    out["unit"] = to_name(json_names::kUnits, one.unit);
    out["segment"] = one.segment;
    out["points"] = one.points;
    out["non_finite"] = one.non_finite;
    out["steps"] = range(one.steps);
    out["first"] = number(one.first);
    out["last"] = number(one.last);
    out["least"] = number(one.least);
    out["greatest"] = number(one.greatest);
    out["median"] = number(one.median);
    if (one.curve) out["curve"] = curve(*one.curve);
    return out;
  }

  static Json derived(const Derived& one) {
    Json out;
    out["name"] = text(one.name);
    out["value"] = value(one.value);
    out["arithmetic"] = both(one.arithmetic);
    out["disagreement"] = one.disagreement.en.empty() ? Json() : both(one.disagreement);
    out["from"] = all(one.from, [](const std::string& key) { return text(key); });
    return out;
  }

  Json run(const RunSummary& one) const {
    Json out;
    out["id"] = text(one.id);
    out["path"] = text(one.sources.empty() ? one.id : one.sources.front().path);
    out["paths"] = all(one.sources, [](const SourceSummary& source) { return text(source.path); });
    out["sources"] = all(one.sources, [](const SourceSummary& source) {
      Json item{
          {"path", text(source.path)}, {"kind", text(source.kind)}, {"role", to_name(json_names::kRoles, source.role)}};
      if (source.unit == PlaceUnit::kRecord) item["unit"] = to_name(json_names::kPlaceUnits, source.unit);
      return item;
    });
    out["dialect"] = text(one.dialect);
    out["axis"] = text(one.axis);
    out["kind"] = to_name(json_names::kKinds, one.kind.kind);
    out["kind_confidence"] = number(one.kind.confidence);
    out["kind_because"] = one.kind.because.en.empty() ? Json() : both(one.kind.because);
    out["experts"] = one.kind.experts;
    out["segments"] = one.segments;
    out["records"] = one.records;
    out["steps"] = one.steps ? range(*one.steps) : Json();
    out["planned_steps"] = one.planned_steps ? Json(*one.planned_steps) : Json();
    out["series"] = all(one.series, [](const SeriesSummary& item) { return series(item); });
    out["interpretations"] =
        all(one.interpretations, [this](const Interpretation& item) { return interpretation(item); });
    out["settings"] = all(one.settings, [](const Setting& item) {
      return Json{{"key", text(item.key)},
                  {"value", text(item.value)},
                  {"written", text(item.written)},
                  {"unknown", text(item.unknown)},
                  {"where", location(item.where)}};
    });
    out["derived"] = all(one.derived, [](const Derived& item) { return derived(item); });
    out["events"] = all(one.events, [](const EventCount& item) {
      return Json{{"kind", to_name(json_names::kEvents, item.kind)},
                  {"count", item.count},
                  {"first", event(item.first, item.first_where)},
                  {"last", event(item.last, item.last_where)}};
    });
    return out;
  }

  Json interpretation(const Interpretation& one) const {
    Json out;
    out["key"] = text(one.key);
    out["text"] = text(describe(one, language_));
    out["metric"] = text(one.metric);
    out["factor"] = number(one.factor);
    out["count"] = one.count;
    out["where"] = location(one.where);
    return out;
  }

  // Plain JSON, so that a script takes a number as a number.
  static Json plain(const Value& one) {
    if (const auto* real = std::get_if<double>(&one.data)) {
      return std::isfinite(*real) ? Json(*real) : Json(format(Value(*real)));
    }
    if (const auto* count = std::get_if<std::int64_t>(&one.data)) return *count;
    if (const auto* steps = std::get_if<StepRange>(&one.data)) return range(*steps);
    return text(std::get<std::string>(one.data));
  }

  static Json table(const Table& one) {
    Json out;
    out["key"] = text(one.key);
    out["columns"] = all(one.columns, [](const TableColumn& column) {
      return Json{{"key", text(column.key)},
                  {"title", both(column.title)},
                  {"right", column.right},
                  {"shown", to_name(json_names::kShown, column.shown)}};
    });
    out["rows"] = all(one.rows, [&](const TableRow& row) {
      Json values = Json::object();
      Json texts = Json::object();
      for (std::size_t i = 0; i < row.cells.size() && i < one.columns.size(); ++i) {
        const Cell& cell = row.cells[i];
        const std::string key = valid_utf8(one.columns[i].key);
        values[key] = cell.value ? plain(*cell.value) : Json();
        if (!cell.text.en.empty()) texts[key] = both(cell.text);
      }
      return Json{{"key", text(row.key)}, {"values", std::move(values)}, {"texts", std::move(texts)}};
    });
    return out;
  }

  static Json section(const Section& one) {
    Json out;
    out["key"] = text(one.key);
    if (!one.run.empty()) out["run"] = text(one.run);
    out["title"] = both(one.title);
    out["patterns"] = all(one.patterns, [](const BitPattern& pattern) {
      return Json{{"title", both(pattern.title)}, {"fields", all(pattern.fields, [](const BitField& field) {
                                                     return Json{{"kind", to_name(json_names::kBitFields, field.kind)},
                                                                 {"bits", text(field.bits)}};
                                                   })}};
    });
    out["text"] = both(one.text);
    out["tables"] = all(one.tables, table);
    out["curves"] = all(one.curves, curve);
    return out;
  }

  static Json error(const Error& one) {
    Json out;
    out["code"] = to_name(json_names::kErrorCodes, one.code);
    out["message"] = text(one.message);
    out["where"] = location(one.where);
    out["hint"] = one.hint.empty() ? Json() : text(one.hint);
    return out;
  }

  static Json file(const FileRecord& one) {
    Json out;
    out["path"] = text(one.path);
    out["kind"] = text(one.kind);
    out["codec"] = one.codec.empty() ? Json() : text(one.codec);
    out["state"] = to_name(json_names::kStates, one.state);
    out["named"] = one.named;
    out["run"] = one.run.empty() ? Json() : text(one.run);
    out["could_be_of"] = one.could_be_of;
    out["bytes"] = one.bytes;
    if (one.unit == PlaceUnit::kRecord) out["unit"] = to_name(json_names::kPlaceUnits, one.unit);
    out["lines"] = one.lines;
    out["records"] = one.records;
    out["unused_lines"] = one.unused_lines;
    if (one.left_out_count > 0) {
      out["left_out"] = all(one.left_out, [](const std::string& name) { return text(name); });
      out["left_out_count"] = one.left_out_count;
    }
    if (one.lost_bytes > 0) out["lost_bytes"] = one.lost_bytes;
    out["settings"] = one.settings;
    if (!one.framework.empty()) out["framework"] = text(one.framework);
    out["repeated_lines"] = one.repeated_lines;
    out["truncated"] = one.truncated;
    out["unused"] = all(one.unused, [](const UnusedKind& kind) {
      return Json{{"example", text(kind.example)},
                  {"why", text(kind.why)},
                  {"count", kind.count},
                  {"first_line", kind.first_line}};
    });
    out["problems"] = all(one.problems, error);
    out["problem_count"] = one.problem_count;
    out["error"] = one.error ? error(*one.error) : Json();
    return out;
  }

  Json rules() const {
    Json out;
    out["run"] = all(report_.rules_run, [](const std::string& name) { return text(name); });
    out["not_applicable"] = all(report_.not_applicable, [this](const RuleNotApplied& one) {
      return Json{{"rule", text(one.rule)},
                  {"reason", text(sentence(rule_record(report_, one.rule), one.reason, language_))},
                  {"phrase", phrase(one.reason)}};
    });
    out["ignored"] = all(report_.ignored, [](const IgnoredName& one) {
      return Json{{"name", text(one.name)}, {"findings", one.findings}};
    });
    out["thresholds"] = all(report_.thresholds, [](const Threshold& one) {
      return Json{{"name", text(one.name)}, {"value", number(one.value)}, {"default", number(one.standard)}};
    });
    out["records"] = all(report_.rules, [](const RuleRecord& one) {
      return Json{{"name", text(one.name)},
                  {"family", text(one.family)},
                  {"tells_why", one.tells_why},
                  {"title", both(one.title)},
                  {"sentences", all(one.sentences, [](const Sentence& item) {
                     return Json{{"key", text(item.key)}, {"en", text(item.text.en)}, {"zh", text(item.text.zh)}};
                   })}};
    });
    return out;
  }

  const Report& report_;
  Language language_;
};

}  // namespace

std::string render_json(const Report& report, const RenderOptions& options) {
  return Writer(report, options).whole().dump(1) + "\n";
}

std::string render_jsonl(const Report& report, const RenderOptions& options) {
  const Writer writer(report, options);
  std::string out;
  for (const Finding& one : report.findings) {
    Json line = {{"type", "finding"}};
    line.update(writer.finding(one));
    out += line.dump() + "\n";
  }
  Json summary = {{"type", "summary"},
                  {"schema", json_names::kSchema},
                  {"complete", report.complete},
                  {"runs", report.runs.size()}};
  summary["verdict"] = report.judged ? writer.verdict() : Json();
  return out + summary.dump() + "\n";
}

}  // namespace assay
