// A small grammar writes the training text, so that nothing is copied and any amount can be had from a seed.
//
// It has what a character model learns in turn: letter frequencies, words, the order of words, agreement of a few
// endings, punctuation, dialogue and numbers. Its entropy is near 0.35 nats a character, so the loss has room to fall
// from ln(kAlphabet.size()) = 4.37 for as long as a short run lasts.
#include "text.h"

#include <array>
#include <span>
#include <utility>

#include "exact_math.h"

namespace assay::examples {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kPeople[] = {"the miller", "the pilot",   "the baker's son", "old Marten", "Hanne",
                                        "the clerk",  "the captain", "a stranger",      "the widow",  "Joris",
                                        "my sister",  "the smith",   "the ferryman",    "Brechtje",   "the teacher"};
constexpr std::string_view kThings[] = {
    "rope", "lantern", "basket of eels", "letter", "kettle", "ledger", "barrel", "net",   "clock",
    "coat", "ladder",  "loaf of bread",  "sail",   "oar",    "map",    "bell",   "wheel", "box of nails"};
constexpr std::string_view kKinds[] = {"old",   "heavy", "broken", "small",  "wet",     "borrowed",
                                       "green", "empty", "costly", "narrow", "crooked", "forgotten"};
constexpr std::string_view kDeeds[] = {"carried", "sold",    "mended",  "lost",   "found",   "hid",
                                       "painted", "counted", "dropped", "wanted", "weighed", "brought back"};
constexpr std::string_view kPlaces[] = {"on the quay",      "behind the mill",  "in the market",   "under the bridge",
                                        "by the lock",      "near the church",  "at the inn",      "along the dike",
                                        "in the boathouse", "across the river", "at the toll gate"};
constexpr std::string_view kTimes[] = {"before dawn",        "at noon",           "after the storm", "in the evening",
                                       "on Tuesday",         "late in October",   "that morning",    "during the frost",
                                       "at the spring tide", "when the bell rang"};
constexpr std::string_view kWeather[] = {"The wind turned to the north", "It rained until four", "Fog lay on the water",
                                         "The ice would not bear",       "The sun came out",     "Snow fell all day",
                                         "The river rose by a hand",     "A gale took two roofs"};
constexpr std::string_view kSayings[] = {
    "I have seen worse",     "it was here a moment ago", "nobody will pay for that", "the tide waits for no one",
    "ask me again tomorrow", "that is not my rope",      "you owe me for the bread", "we sail on Friday"};
constexpr std::string_view kLinks[] = {"and", "but", "because", "so", "while", "although"};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  void paragraph() {
    const std::size_t sentences = 3 + random_.below(5);
    for (std::size_t i = 0; i < sentences; ++i) {
      if (i > 0) text_ += ' ';
      sentence();
    }
    text_ += "\n\n";
  }

  std::string& text() { return text_; }

 private:
  std::string_view pick(Words words) { return words[random_.below(words.size())]; }

  std::string number() { return std::to_string(2 + random_.below(random_.chance(70) ? 30 : 900)); }

  std::string thing() {
    std::string phrase = random_.chance(60) ? "the " : "his ";
    if (random_.chance(45)) phrase.append(pick(kKinds)).append(" ");
    return phrase.append(pick(kThings));
  }

  std::string clause() {
    std::string words(pick(kPeople));
    words.append(" ").append(pick(kDeeds)).append(" ").append(thing());
    if (random_.chance(55)) words.append(" ").append(pick(kPlaces));
    if (random_.chance(35)) words.append(" ").append(pick(kTimes));
    return words;
  }

  // One random choice a statement where operands would have no order of their own: another order is another text.
  void weather(std::string& words) {
    words.append(pick(kWeather));
    if (random_.chance(50)) return;
    const std::string deed = clause();
    words.append(", ").append(pick(kLinks)).append(" ").append(deed);
  }

  void sentence() {
    std::string words;
    switch (random_.below(6)) {
      case 0: weather(words); break;
      case 1: words.append("\"").append(pick(kSayings)).append(",\" said ").append(pick(kPeople)); break;
      case 2: words.append(number()).append(" guilders were paid for ").append(thing()); break;
      default: words = clause();
    }
    if (random_.chance(25)) words.append(" ").append(pick(kLinks)).append(" ").append(clause());
    const std::size_t first = words[0] == '"' ? 1 : 0;
    if (words[first] >= 'a' && words[first] <= 'z') words[first] = static_cast<char>(words[first] - 'a' + 'A');
    text_.append(words).append(random_.chance(6) ? "!" : ".");
  }

  Random random_;
  std::string text_;
};

}  // namespace

std::string write_prose(std::uint64_t seed, std::size_t length) {
  Writer writer(seed);
  while (writer.text().size() < length) writer.paragraph();
  return std::move(writer.text());
}

std::string write_blob(std::uint64_t seed, std::size_t length) {
  static constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Random random(seed);
  std::string text;
  while (text.size() < length) text += kBase64[random.below(kBase64.size())];
  return text;
}

std::vector<std::uint8_t> tokens_of(std::string_view text) {
  std::array<std::uint8_t, 256> token{};
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    token[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  std::vector<std::uint8_t> tokens;
  tokens.reserve(text.size());
  for (const char c : text) tokens.push_back(token[static_cast<unsigned char>(c)]);
  return tokens;
}

}  // namespace assay::examples
