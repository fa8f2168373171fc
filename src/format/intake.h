#pragma once
// The way of one file's bytes: unpack, turn into UTF-8, find out the format from the first 64 KiB, hand on to its
// reader. It takes bytes at any boundary, so that files, pipes and memory are the same code, and so that the
// recording does not depend on how the bytes came.

#include <memory>
#include <span>
#include <string>

#include "format/codec/codec.h"
#include "format/codec/gbk_lines.h"
#include "format/codec/text_encoding.h"
#include "format/reader.h"

namespace assay {

class Intake final : private ByteSink {
 public:
  /// formats: the last one has to take everything.
  Intake(Recorder& recorder, std::span<const Format> formats) : recorder_(recorder), formats_(formats) {}

  void feed(std::span<const char> bytes);
  /// interrupted: the caller stopped; half a line at the end is then no fault of the file.
  void finish(bool interrupted = false);
  /// Nothing more is wanted: the file is none of ours, or broken.
  bool done() const { return done_; }

 private:
  static constexpr std::size_t kPrefix = std::size_t{64} << 10;

  void take(std::span<const char> bytes) override;
  void unpack(std::span<const char> bytes);
  void decide(bool whole);
  bool open_format(bool binary, std::string_view prefix, bool whole);
  void pass_on(std::string_view bytes);
  void tell_encoding(std::string_view name);
  void reject(std::string_view kind, std::string message, std::string hint);
  void report_broken_codec();

  Recorder& recorder_;
  std::span<const Format> formats_;
  std::string start_;  // while the codec is not known
  bool codec_known_ = false;
  std::unique_ptr<Decoder> decoder_;
  bool broken_ = false;
  std::string prefix_;  // unpacked, while the format is not known
  std::unique_ptr<Utf16Decoder> utf16_;
  GbkLines gbk_;
  std::string converted_;
  bool is_text_ = false;  // whose encoding matters
  std::unique_ptr<StreamReader> reader_;
  bool done_ = false;
};

}  // namespace assay
