#pragma once
// Text that repeats itself without a pause: "ok ok ok ok", one sentence a hundred times, a thousand blanks.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

/// text[i] == text[i + period] for all i in [offset, offset + length - period); neither end can be moved outwards.
struct PeriodicRun {
  std::size_t offset = 0;  // bytes of the text
  std::size_t length = 0;
  std::size_t period = 0;  // bytes, the least one
};

/// Keeps its scratch memory (at most 0.3 MB) from text to text.
class PeriodFinder {
 public:
  static constexpr std::size_t kLongestPeriod = 8192;  // bytes; a longer one is given as it is seen, maybe a multiple
  /// In the order of the text, without overlap: all runs of at least 96 bytes with at least 32 repeats (of a period up
  /// to 4,096 bytes), and a run of six repeats or more that is half of the text. Of others, from three repeats on, a
  /// few. Linear in the length of the text.
  void find(std::string_view text, std::vector<PeriodicRun>& out);

 private:
  /// Where eight bytes stood last, by their hash: 32 bits of it above, `base` and the place below.
  struct Places {
    std::uint64_t* slots = nullptr;
    int shift = 0;  // from a hash to its slot
    std::uint64_t base = 0;
  };
  Places begin_places(std::size_t count, std::size_t size);
  static std::size_t place_before(const Places& places, std::string_view text, std::size_t at);
  /// What begins again at a distance, with its least period. `floor`: nothing before it is looked at; afterwards, where
  /// to go on.
  PeriodicRun follow(std::string_view text, std::size_t at, std::size_t distance, std::size_t& floor);
  void find_at_strides(std::string_view text, std::vector<PeriodicRun>& out);
  bool find_again(std::string_view text, std::size_t from, std::size_t first, std::size_t last,
                  std::vector<PeriodicRun>& out);
  void find_over_middle(std::string_view text, std::vector<PeriodicRun>& out);

  std::vector<std::uint64_t> slots_;
  std::uint64_t next_base_ = 0;
  std::vector<std::uint32_t> border_;
};

}  // namespace assay
