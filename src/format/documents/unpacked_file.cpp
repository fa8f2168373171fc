// A stored file is read in pieces of 256 KiB and handed to its decoder 4 KiB at a time: 4 KiB of zstd unpack to 128 MiB
// at most (blocks of one repeated byte), of gzip to 4 MiB, so that no file can ask for more memory than that at once,
// and a file that is not compressed is read straight to where it is wanted.

#include "format/documents/unpacked_file.h"

#include <algorithm>
#include <utility>

namespace assay {

namespace {

constexpr std::size_t kRead = std::size_t{256} << 10;
constexpr std::size_t kPiece = std::size_t{4} << 10;

class Append final : public ByteSink {
 public:
  explicit Append(std::string& out) : out_(out) {}
  void take(std::span<const char> bytes) override { out_.append(bytes.data(), bytes.size()); }

 private:
  std::string& out_;
};

}  // namespace

Result<UnpackedFile> UnpackedFile::open(const std::string& path) {
  InputFile input = ASSAY_TRY(InputFile::open(path));
  if (input.kind() == InputFile::Kind::kDirectory) {
    Location where;
    where.path = path;
    return fail(ErrorCode::kUsage, "is a directory, not a file of documents", std::move(where), "name the files in it");
  }
  UnpackedFile file(path, std::move(input));
  file.read_raw(file.packed_, kRead);
  if (file.packed_.empty() && file.error_) return std::unexpected(*file.error_);
  file.codec_ = codec_of(file.packed_);
  if (file.codec_ == Codec::kNone) {
    file.waiting_ = std::exchange(file.packed_, {});
  } else {
    file.decoder_ = open_decoder(file.codec_);
    file.ended_ = false;  // of what is stored; not yet of what is in it
  }
  return file;
}

void UnpackedFile::fail_with(Error error) {
  error.where.path = path_;
  error_ = std::move(error);
  ended_ = true;
}

// False: nothing more is stored.
bool UnpackedFile::read_raw(std::string& out, std::size_t most) {
  const std::size_t before = out.size();
  Result<std::size_t> got = 0;
  out.resize_and_overwrite(before + most, [&](char* data, std::size_t) {
    got = file_.read({data + before, most});
    return before + (got ? *got : 0);
  });
  if (!got) {
    fail_with(std::move(got).error());
    return false;
  }
  stored_ += *got;
  return *got == most;
}

// Appends what comes next; false: the end.
bool UnpackedFile::read_portion(std::string& out, std::size_t most) {
  if (ended_) return false;
  if (decoder_ == nullptr) {
    if (!read_raw(out, most)) ended_ = true;
    return true;
  }
  if (packed_at_ == packed_.size()) {
    packed_.clear();
    packed_at_ = 0;
    read_raw(packed_, kRead);
    if (error_) return false;
    if (packed_.empty()) {
      ended_ = true;
      if (!decoder_->finish()) fail_with(*decoder_->error());
      return false;
    }
  }
  const std::size_t size = std::min(kPiece, packed_.size() - packed_at_);
  Append sink(out);
  if (!decoder_->feed({packed_.data() + packed_at_, size}, sink)) fail_with(*decoder_->error());
  packed_at_ += size;
  return true;
}

// Makes waiting_ longer; false: the end.
bool UnpackedFile::unpack_more() {
  if (waiting_at_ > 0) {
    waiting_.erase(0, waiting_at_);
    waiting_at_ = 0;
  }
  if (utf16_ == nullptr) return read_portion(waiting_, kRead);
  units_.clear();
  const bool more = read_portion(units_, kRead);
  utf16_->feed(units_, waiting_);
  if (!more) {
    utf16_->finish(waiting_);
    utf16_.reset();
  }
  return more || !waiting_.empty();
}

std::string_view UnpackedFile::peek(std::size_t wanted) {
  while (waiting_.size() - waiting_at_ < wanted && unpack_more()) {
  }
  return std::string_view(waiting_).substr(waiting_at_, wanted);
}

void UnpackedFile::decode(const DetectedEncoding& encoding) {
  waiting_.erase(0, encoding.mark);
  if (encoding.encoding == TextEncoding::kUtf8) return;
  utf16_ = std::make_unique<Utf16Decoder>(encoding.encoding == TextEncoding::kUtf16Big);
  units_ = std::exchange(waiting_, {});
  utf16_->feed(units_, waiting_);
}

bool UnpackedFile::fill(std::string& out, std::size_t size) {
  const bool straight = decoder_ == nullptr && utf16_ == nullptr;
  while (out.size() < size) {
    const std::size_t missing = size - out.size();
    if (waiting_at_ < waiting_.size()) {
      const std::string_view ready = std::string_view(waiting_).substr(waiting_at_, missing);
      out += ready;
      waiting_at_ += ready.size();
    } else if (!(straight ? read_portion(out, missing) : unpack_more())) {
      return false;
    }
  }
  return true;
}

}  // namespace assay
