#pragma once
// Text in an old encoding that was decoded with another one: Russian in KOI8-R read as Windows-1251, GBK read as
// Latin-1, UTF-8 read as GBK, UTF-16 with its bytes swapped.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text/characters.h"
#include "measure/text/likelihood.h"

namespace assay {

/// Two encodings, by their numbers: see transcode.h.
struct Confusion {
  std::uint8_t read_as = 0;
  std::uint8_t was = 0;
  friend bool operator==(const Confusion&, const Confusion&) = default;
};

/// A text with the decoding undone; U+FFFD for what is lost.
std::string undone(std::string_view text, const Confusion& confusion);

/// A stretch that is more likely once the wrong decoding is undone.
struct WrongStretch {
  std::size_t offset = 0;
  std::size_t length = 0;
  double gain = 0;    // nats
  bool fill = false;  // of debris: memory that was filled with one byte; else U+FFFD, decoded wrong
};

/// Looks through one text after the other; keeps scratch memory.
class WrongPages {
 public:
  static constexpr std::size_t kMostStretches = 64;

  /// Whether a wrong decoding was found; then what it was and where, what gains most first.
  bool find(std::string_view text);
  Confusion confusion() const { return confusion_; }
  double gain() const { return gain_; }
  const std::vector<WrongStretch>& stretches() const { return stretches_; }
  std::size_t rest() const { return rest_; }  // bytes of further ones

  /// What can only be told, not undone: "锟斤拷", "烫烫烫烫".
  const std::vector<WrongStretch>& debris() const { return debris_; }

  std::string undo(std::string_view text) const { return undone(text, confusion_); }

 private:
  void scan(std::string_view text);
  std::size_t pass_calm(std::string_view text, std::size_t at, Surprise::East east, Side& side) const;
  std::size_t follow(std::string_view text, std::size_t from, std::size_t at, int sum, Side& side);
  void examine(std::string_view text, std::size_t from, std::size_t to);
  bool take_debris(std::string_view text, std::size_t from);
  void try_all(std::u32string_view text, double now);

  struct Foreign {
    std::size_t offset = 0;
    std::size_t length = 0;
    char32_t code = 0;
  };
  void take_foreign(std::string_view text, std::size_t at, const Character& one);
  void judge_foreign();
  bool is_little_of(std::string_view text) const;

  Surprise surprise_;
  std::vector<Foreign> foreign_;
  Confusion confusion_;
  double gain_ = 0;
  std::size_t rest_ = 0;
  std::size_t done_ = 0;  // where the last stretch ended
  bool known_ = false;
  unsigned tries_ = 0;
  Confusion hunch_;  // the best of stretches that were not enough by themselves
  double hunch_gain_ = 0;
  double best_gain_ = 0;
  Confusion best_;
  std::vector<WrongStretch> stretches_;
  std::vector<WrongStretch> debris_;
  std::u32string characters_;
  std::string bytes_;
  std::string glance_;
  std::u32string undone_;
};

}  // namespace assay
