#include "format/intake.h"

#include <utility>

#include "format/foreign.h"

namespace assay {

namespace {

class ToReader final : public ByteSink {
 public:
  explicit ToReader(StreamReader& reader) : reader_(reader) {}
  void take(std::span<const char> bytes) override { reader_.feed(bytes); }

 private:
  StreamReader& reader_;
};

class ToString final : public ByteSink {
 public:
  void take(std::span<const char> bytes) override { text.append(bytes.data(), bytes.size()); }
  std::string text;
};

// What a format is told by: the start of the file as its reader will see it.
std::string in_utf8(std::string_view start) {
  GbkLines lines;
  ToString out;
  lines.feed(start, out);
  lines.finish(out);
  return out.text;
}

}  // namespace

void Intake::feed(std::span<const char> bytes) {
  if (done_) return;
  recorder_.file().bytes += static_cast<std::int64_t>(bytes.size());
  if (codec_known_) return unpack(bytes);
  start_.append(bytes.data(), bytes.size());
  if (start_.size() < kCodecMagic) return;
  codec_known_ = true;
  const Codec codec = codec_of(start_);
  recorder_.file().codec = name(codec);
  if (codec != Codec::kNone) decoder_ = open_decoder(codec);
  unpack(std::exchange(start_, {}));
}

void Intake::unpack(std::span<const char> bytes) {
  if (!decoder_) return take(bytes);
  if (decoder_->feed(bytes, *this)) return;
  broken_ = true;
  done_ = true;
}

void Intake::take(std::span<const char> bytes) {
  if (reader_) return pass_on({bytes.data(), bytes.size()});
  if (done_) return;
  const std::size_t wanted = kPrefix - prefix_.size();
  if (bytes.size() < wanted) {
    prefix_.append(bytes.data(), bytes.size());
    return;
  }
  prefix_.append(bytes.data(), wanted);
  decide(false);
  if (reader_) pass_on({bytes.data() + wanted, bytes.size() - wanted});
}

void Intake::decide(bool whole) {
  if (prefix_.empty()) return reject("empty", "is empty", "");
  if (open_format(true, prefix_, whole)) return reader_->feed(std::exchange(prefix_, {}));
  if (const auto foreign = foreign_kind(prefix_)) {
    return reject(foreign->kind, std::string(foreign->message), std::string(foreign->hint));
  }
  const DetectedEncoding encoding = detect_encoding(prefix_);
  std::string text = prefix_.substr(encoding.mark);
  if (encoding.encoding != TextEncoding::kUtf8) {
    utf16_ = std::make_unique<Utf16Decoder>(encoding.encoding == TextEncoding::kUtf16Big);
    std::string converted;
    utf16_->feed(text, converted);
    if (whole) utf16_->finish(converted);
    text = std::move(converted);
    tell_encoding("UTF-16");
  }
  const std::string shown = utf16_ ? text : in_utf8(text);
  if (looks_binary(shown)) return reject("binary", "is binary data of an unknown kind", "");
  if (shown.find_first_not_of(" \t\r\n\f\v") == std::string::npos && whole) {
    return reject("empty", "holds nothing but blank space", "");
  }
  open_format(false, shown, whole);
  if (!reader_) return reject("unknown", "is of a kind that is not known", "");
  prefix_ = {};
  if (utf16_) return reader_->feed(text);
  is_text_ = true;
  pass_on(text);
}

bool Intake::open_format(bool binary, std::string_view prefix, bool whole) {
  for (const Format& format : formats_) {
    if (format.binary != binary || !format.is(recorder_.file().path, prefix, whole)) continue;
    recorder_.file().kind = format.name;
    reader_ = format.open(recorder_);
    return true;
  }
  return false;
}

void Intake::pass_on(std::string_view bytes) {
  if (!utf16_) {
    ToReader sink(*reader_);
    return is_text_ ? gbk_.feed(bytes, sink) : sink.take(bytes);
  }
  converted_.clear();
  utf16_->feed(bytes, converted_);
  reader_->feed(converted_);
}

void Intake::tell_encoding(std::string_view name) {
  std::string& codec = recorder_.file().codec;
  if (!codec.empty()) codec += ", ";
  codec += name;
}

void Intake::reject(std::string_view kind, std::string message, std::string hint) {
  FileRecord& file = recorder_.file();
  file.kind = kind;
  file.state = FileState::kNothingRead;
  Location where;
  where.path = file.path;
  file.error = Error{ErrorCode::kUnrecognised, std::move(message), std::move(where), std::move(hint)};
  done_ = true;
}

void Intake::report_broken_codec() {
  Error error = *decoder_->error();
  error.where.path = recorder_.file().path;
  if (error.code == ErrorCode::kLimit) return recorder_.problem(std::move(error));
  recorder_.truncated(0, error.message, error.where.byte);
}

void Intake::finish(bool interrupted) {
  if (!codec_known_ && !done_) {
    codec_known_ = true;
    take(std::exchange(start_, {}));
  }
  if (decoder_ && !broken_ && !done_ && !interrupted) broken_ = !decoder_->finish();
  if (broken_) report_broken_codec();
  if (!reader_ && recorder_.file().state == FileState::kRead) decide(true);
  if (!reader_) return;
  if (utf16_ && !broken_ && !interrupted) {
    converted_.clear();
    utf16_->finish(converted_);
    reader_->feed(converted_);
  }
  if (is_text_) {
    ToReader sink(*reader_);
    gbk_.finish(sink);
  }
  if (gbk_.found()) tell_encoding("GBK");
  reader_->finish(broken_ || interrupted);
}

}  // namespace assay
