#pragma once
// Rows that are JSON objects: lines of a JSONL file, elements of an array.
//
// An object is read whole before any of it is recorded, so that a broken one leaves no trace but its line in the
// ledger. Nested objects are flattened ("train/loss"). The objects of a log repeat their keys in the same order: the
// key that followed last time is compared first, and only where that fails is it looked up.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/recording.h"
#include "format/tables/json_scanner.h"
#include "format/tables/key_plan.h"
#include "format/tables/name_limit.h"
#include "format/tables/pivot.h"

namespace assay {

class ObjectRows {
 public:
  /// The parent of a key that stands in no other.
  static constexpr std::uint32_t kTop = UINT32_MAX;

  explicit ObjectRows(Recorder& recorder) : recorder_(recorder), pivot_(recorder) {}

  /// Reads the object whose kObject was taken from `scanner`. Returns kEndObject, kCut or kError; only after the first
  /// may observe() or record() be called.
  JsonScanner::Token read(JsonScanner& scanner);

  /// The same for a row whose keys come one by one: begin(), then for each key its number and its value as JSON. The
  /// values have to stay where they are until observe() or record().
  void begin();
  /// The number of a key, or kTop where there are too many of them. raw: as JSON writes it between quotes.
  std::uint32_t key(std::uint32_t parent, std::string_view raw) { return find_key(parent, raw); }
  void add(std::uint32_t key, std::string_view json);

  /// Learns from the row read last, without recording it.
  void observe();
  /// Makes the plan from all that was observed. Quirks of the values under `loss`, where the caller knows the writer.
  const TablePlan& plan(Quirk loss_quirks = Quirk::kNone);
  bool planned() const { return planned_; }
  const TablePlan& table() const { return plan_; }
  /// Records the row read last. After plan(). text: of the row, for the ledger.
  void record(std::int64_t line, std::string_view text);
  /// No more rows.
  void finish() {
    pivot_.finish();
    limit_.tell(recorder_);
  }

  /// Some row had this key.
  bool has_key(std::string_view path) const;
  /// The row has a key that means a step, and one that means a loss (before the plan is made).
  bool row_looks_like_log() const;

 private:
  static constexpr std::size_t kMostKeys = 4096;
  static constexpr std::size_t kMostShapes = 4096;
  static constexpr std::uint32_t kNoKey = kTop;
  static constexpr std::uint32_t kMetricNames = UINT32_MAX - 1;  // the parent of names in the long form
  static constexpr Recorder::Column kNoColumn = UINT32_MAX;
  static constexpr std::size_t kDeepestPath = 4;

  // What finding a key needs, apart from the rest so that it stays in the cache.
  struct Link {
    std::string raw;  // as written between its quotes
    std::uint32_t parent = kNoKey;
    std::uint32_t follows = kNoKey;    // the key that stood behind this one last time
    std::uint32_t same_hash = kNoKey;  // the next of those with the same hash
  };
  struct Key {
    std::string path;         // the whole name, unescaped
    bool means_flag = false;  // true and false are 1 and 0 there
    bool means_metric = false;
    KeyFacts facts;
    KeyPlan plan;
    KeyPlan evaluation;
    bool evaluation_planned = false;
    Recorder::Column column = kNoColumn;
    Recorder::Column evaluation_column = kNoColumn;
  };
  enum class ItemKind : std::uint8_t { kNumber, kText, kNothing };
  struct Item {
    std::uint32_t key;
    ItemKind kind;
    double number;
    std::string_view text;  // into the line
  };

  JsonScanner::Token read_members(JsonScanner& scanner, std::uint32_t parent, std::size_t depth);
  JsonScanner::Token read_value(JsonScanner& scanner, std::uint32_t key, std::size_t depth);
  JsonScanner::Token read_array(JsonScanner& scanner, std::uint32_t key);
  void add_text(std::uint32_t key, std::string_view text, bool escaped);
  std::uint32_t find_key(std::uint32_t parent, std::string_view raw);
  std::uint32_t make_key(std::uint32_t parent, std::string_view raw, std::uint64_t hash);
  void put(Recorder::Column& column, const KeyPlan& plan, double value);
  std::int64_t shape_of_row();
  struct Header;
  Header read_header(std::int64_t line);
  void record_settings(std::int64_t line);
  void record_measurement(const Header& header, std::int64_t line, std::string_view text);

  Recorder& recorder_;
  std::vector<Link> links_;
  std::vector<Key> keys_;                                    // one for each of links_
  std::unordered_map<std::uint64_t, std::uint32_t> lookup_;  // by the hash of parent and raw; never iterated
  std::uint32_t last_key_ = kNoKey;
  std::uint32_t first_of_row_ = kNoKey;
  std::vector<Item> items_;
  std::uint64_t shape_hash_ = 0;
  std::unordered_map<std::uint64_t, std::int64_t> shapes_;  // never iterated
  TablePlan plan_;
  bool planned_ = false;
  bool axis_seen_ = false;
  std::int64_t observed_ = 0;
  Quirk loss_quirks_ = Quirk::kNone;
  Pivot pivot_;
  NameLimit limit_{kMostKeys, "keys"};
};

}  // namespace assay
