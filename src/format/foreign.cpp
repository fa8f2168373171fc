#include "format/foreign.h"

#include "base/bytes.h"

namespace assay {

namespace {

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  ForeignKind kind;
};

using namespace std::string_view_literals;

// The first that fits; more exact ones stand before more general ones.
constexpr Magic kMagic[] = {
    {0,
     "\x7f"
     "ELF"sv,
     {"binary", "is an ELF binary", ""}},
    {0, "\xcf\xfa\xed\xfe"sv, {"binary", "is a Mach-O binary", ""}},
    {0, "\xca\xfe\xba\xbe"sv, {"binary", "is a Mach-O binary or Java class", ""}},
    {0, "\x93NUMPY"sv, {"npy", "is a NumPy array", ""}},
    {0, "\x89HDF\r\n\x1a\n"sv, {"hdf5", "is an HDF5 file", ""}},
    {0,
     "PAR1"sv,
     {"parquet", "is a Parquet file, which is read as a corpus, not as a log", "assay corpus check reads it"}},
    {0,
     "ARROW1"sv,
     {"arrow", "is an Arrow file, which is read as a corpus, not as a log", "assay corpus check reads it"}},
    {0, "GGUF"sv, {"gguf", "is a GGUF model", ""}},
    {0, "MMIDIDX\0\0"sv, {"megatron index", "is the index of a Megatron dataset", "assay corpus check reads it"}},
    {0, "SQLite format 3\0"sv, {"sqlite", "is an SQLite database", "export the metrics table as CSV"}},
    {0, "\x89PNG\r\n\x1a\n"sv, {"image", "is a PNG image", "give the log that the picture was drawn from"}},
    {0, "\xff\xd8\xff"sv, {"image", "is a JPEG image", "give the log that the picture was drawn from"}},
    {0, "GIF8"sv, {"image", "is a GIF image", ""}},
    {8, "WEBP"sv, {"image", "is a WebP image", ""}},
    {0, "%PDF-"sv, {"pdf", "is a PDF document", ""}},
    {0, "BZh"sv, {"bzip2", "is compressed with bzip2, which this version does not unpack", "bunzip2 it first"}},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     {"xz", "is compressed with xz, which this version does not unpack", "unxz it first"}},
    {0, "\x04\x22\x4d\x18"sv, {"lz4", "is compressed with lz4, which this version does not unpack", "unlz4 it first"}},
    {0, "7z\xbc\xaf\x27\x1c"sv, {"7z", "is a 7-Zip archive", "unpack it and give the folder"}},
    {0, "Rar!\x1a\x07"sv, {"rar", "is a RAR archive", "unpack it and give the folder"}},
    {257, "ustar"sv, {"tar", "is a tar archive", "unpack it and give the folder"}},
};

constexpr ForeignKind kTorchZip{"pytorch checkpoint", "is a PyTorch checkpoint", "give the log that the run printed"};
constexpr ForeignKind kZip{"zip", "is a zip archive", "unpack it and give the folder"};
constexpr ForeignKind kPickle{
    "pickle", "is a pickle (a checkpoint or Python object), never opened because loading one can run code",
    "give the log that the run printed"};
constexpr ForeignKind kSafetensors{"safetensors", "is a safetensors file: weights, no log", ""};
constexpr ForeignKind kGzipTwice{"gzip", "is compressed twice", "unpack it once"};

bool is_safetensors(std::string_view prefix) {
  if (prefix.size() < 10 || !prefix.substr(8).starts_with("{\"")) return false;
  // The length of the JSON header, little endian; the format limits it to 100 MB.
  return prefix[7] == 0 && prefix[6] == 0 && prefix[5] == 0 && prefix[4] == 0 &&
         static_cast<unsigned char>(prefix[3]) < 8;
}

bool is_pickle(std::string_view prefix) {
  // Protocol 2 to 5: PROTO n, then the opcode of a frame, a container, a global or an integer.
  return prefix.size() >= 3 && prefix[0] == '\x80' && prefix[1] >= 2 && prefix[1] <= 5 &&
         "\x95}](cX\x8a\x8c\x80"sv.find(prefix[2]) != std::string_view::npos;
}

}  // namespace

std::optional<ForeignKind> foreign_kind(std::string_view prefix) {
  if (prefix.starts_with("PK\x03\x04") || prefix.starts_with("PK\x05\x06")) {
    const bool torch = prefix.substr(0, 512).find("/data.pkl") != std::string_view::npos;
    return torch ? kTorchZip : kZip;
  }
  if (is_pickle(prefix)) return kPickle;
  if (is_safetensors(prefix)) return kSafetensors;
  if (prefix.starts_with("\x1f\x8b\x08") || prefix.starts_with("\x28\xb5\x2f\xfd")) return kGzipTwice;
  for (const Magic& magic : kMagic) {
    if (prefix.size() > magic.offset && prefix.substr(magic.offset).starts_with(magic.bytes)) return magic.kind;
  }
  return std::nullopt;
}

bool looks_binary(std::string_view prefix) {
  std::size_t controls = 0;
  for (const char c : prefix) {
    const auto byte = static_cast<unsigned char>(c);
    const bool usual = byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\b' || byte == '\f' ||
                       byte == 0x1b || byte == 0x07;
    controls += usual && byte != 0x7f ? 0 : 1;
  }
  // Uniform bytes have 10 % controls and 40 % that are no UTF-8. A log whose tail a crash filled with zeros, or one in
  // GBK, stays below.
  return controls * 20 > prefix.size() || count_invalid_utf8(prefix) * 10 > prefix.size() * 3;
}

}  // namespace assay
