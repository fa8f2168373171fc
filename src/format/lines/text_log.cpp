#include "format/lines/text_log.h"

#include "format/lines/engine.h"
#include "format/lines/line_source.h"

namespace assay {

namespace {

class TextLogReader final : public StreamReader {
 public:
  TextLogReader(Recorder& recorder, bool remember) : engine_(recorder, remember) {}

  void feed(std::span<const char> bytes) override {
    source_.feed({bytes.data(), bytes.size()}, [this](std::string_view text, std::int64_t number, std::size_t dropped) {
      engine_.line(text, number, dropped, false);
    });
  }

  void finish(bool cut) override {
    source_.finish([this](std::string_view text, std::int64_t number, std::size_t dropped) {
      engine_.line(text, number, dropped, true);
    });
    engine_.finish(cut, source_.lines());
  }

 private:
  lines::LineSource source_;
  lines::Engine engine_;
};

}  // namespace

std::unique_ptr<StreamReader> open_text_log(Recorder& recorder) {
  return std::make_unique<TextLogReader>(recorder, true);
}

namespace lines {
std::unique_ptr<StreamReader> open_text_log_slowly(Recorder& recorder) {
  return std::make_unique<TextLogReader>(recorder, false);
}
}  // namespace lines

bool looks_like_text(std::string_view prefix) {
  if (prefix.empty()) return false;
  std::size_t strange = 0;
  for (const char c : prefix) {
    const auto byte = static_cast<unsigned char>(c);
    const bool console =
        c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v' || c == '\b' || c == '\a' || c == '\x1b';
    strange += (byte < 0x20 && !console) || byte == 0x7f ? 1 : 0;
  }
  return strange * 50 <= prefix.size();
}

}  // namespace assay
