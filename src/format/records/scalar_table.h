#pragma once
// From single measurements (tag, step, value), as event files hold them, to the rows of a recording.
//
// A measurement costs its eight bytes: the values of a tag become the values of its series without being moved, since
// each tag's own measurements already stand in the order of the rows.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/recording.h"
#include "format/tables/key_plan.h"
#include "format/tables/name_limit.h"

namespace assay {

class ScalarTable {
 public:
  /// folder: the name of the one that the file lies in. It may say that the file is of evaluation: then so are all tags
  /// that name no part of the data themselves.
  explicit ScalarTable(Recorder& recorder, std::string_view folder = {}) : recorder_(recorder), folder_(folder) {}

  /// record: the number of the record that it stands in; does not fall.
  void add(std::string_view tag, std::int64_t step, double value, std::int64_t record);
  /// Something that happened between the measurements: handed to the recorder between their rows.
  void add(Event event) { events_.push_back(std::move(event)); }
  /// Hands the rows to the recorder.
  void finish();

 private:
  static constexpr std::size_t kMostTags = 8192;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // What finding a tag needs, apart from the rest so that it stays in the cache.
  struct Link {
    std::string name;
    std::uint32_t follows = kNone;  // the tag that stood behind this one last time
  };
  // Looks a name up without making a string of it.
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct Part {
    std::size_t from = 0;  // first measurement
    std::uint32_t number = 0;
  };
  struct Tag {
    std::int64_t last_step = INT64_MIN;
    std::uint32_t part = 0;
    IntegerColumn step;
    IntegerColumn record;
    ValueColumn value;
    std::vector<Part> parts;  // where `part` changed
    bool used = true;
    double factor = 1;
    Recorder::Column column = 0;
    IntegerColumn row;
  };
  struct Cursor;

  std::uint32_t find_tag(std::string_view name);
  bool steps_are_told() const;
  void leave_other_axes();
  bool counts_epochs() const;
  bool of_evaluation(std::string_view tag) const;
  std::vector<std::size_t> plan();
  void merge(const std::vector<std::size_t>& used);
  void tell_events(std::int64_t before);

  Recorder& recorder_;
  std::string folder_;
  std::vector<Link> links_;
  std::vector<Tag> tags_;                                                             // one for each of links_
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> lookup_;  // never iterated
  std::uint32_t last_ = kNone;
  std::uint32_t part_ = 0;
  std::vector<Event> events_;
  std::size_t next_event_ = 0;
  NameLimit limit_{kMostTags, "tags"};
  std::string axis_ = "step";
};

}  // namespace assay
