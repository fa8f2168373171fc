// Readers of documents, from a file in the page cache to every document in a sink that only counts, on one thread.
//
//   of_memory   our speed as a share of reading the same bytes in memory once (eight at a time)
//   of_codec    of compressed files: as a share of undoing the compression alone, into nothing
//
// The text is prose by formula, in lines like those of FineWeb: an escape each hundred bytes or so, nine other fields.

#include <benchmark/benchmark.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "format/codec/codec.h"
#include "format/documents/reader.h"
#include "timing.h"
#include "unit/support/temp_folder.h"

namespace assay {
namespace {

constexpr std::size_t kSize = std::size_t{64} << 20;

// English words at random, a sentence each 14 of them and a line feed each 25.
std::string prose(std::uint64_t& state, std::size_t size, const char* feed) {
  static const char* const kWords[] = {
      "the", "of", "and",   "model",  "in",   "that",   "quality", "language", "with",    "because", "data", "training",
      "is",  "a",  "which", "corpus", "from", "people", "between", "reports",  "another", "time",    "it",   "would"};
  std::string out;
  for (int word = 1; out.size() < size; ++word) {
    state = state * 6364136223846793005 + 1442695040888963407;
    out += kWords[(state >> 33) % std::size(kWords)];
    out += word % 14 == 0 ? ". " : " ";
    if (word % 25 == 0) out += feed;
  }
  return out;
}

std::string jsonl() {
  std::string out;
  std::uint64_t state = 1;
  for (int i = 0; out.size() < kSize; ++i) {
    out += "{\"text\":\"" + prose(state, 500 + (state >> 40) % 5000, "\\n") +
           "\",\"id\":\"<urn:uuid:" + std::to_string(i) +
           "-91a3>\",\"dump\":\"CC-MAIN-2024-10\",\"url\":\"https://example.com/" + std::to_string(i * 7919) +
           "\",\"date\":\"2024-02-20T19:40:11Z\",\"file_path\":\"crawl/segments/x.warc.gz\",\"language\":\"en\","
           "\"language_score\":0.9712,\"token_count\":" +
           std::to_string(i % 3000) + "}\n";
  }
  return out;
}

std::string csv() {
  std::string out = "id,text,source\n";
  std::uint64_t state = 1;
  for (int i = 0; out.size() < kSize; ++i) {
    out += std::to_string(i) + ",\"" + prose(state, 500 + (state >> 40) % 5000, "\n") + "\",web\n";
  }
  return out;
}

std::string text() {
  std::uint64_t state = 1;
  return prose(state, kSize, "\n\n");
}

class Counter final : public DocumentSink {
 public:
  void take(const Document& document) override { bytes += document.text.size(); }
  void fault(const LineFault&) override { ++faults; }
  std::uint64_t bytes = 0;
  std::uint64_t faults = 0;
};

Counter read(const std::string& path, const DocumentOptions& options = {}) {
  Counter counter;
  const Result<DocumentFile> file = open_documents(path, options);
  if (!file) return counter;
  DocumentBlock block;
  while (file->reader->next(block).value_or(false)) file->reader->take_apart(block, counter);
  return counter;
}

std::uint64_t read_memory(std::string_view bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    sum += word;
  }
  return sum;
}

// Reads the file as often as is asked; bytes: what it unpacks to.
void measure(benchmark::State& state, const std::string& path, std::string_view bytes, const DocumentOptions& options) {
  const auto ours = [&] { benchmark::DoNotOptimize(read(path, options)); };
  for (auto _ : state) ours();
  if (read(path, options).bytes < bytes.size() / 3) state.SkipWithError("not all was read");
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
  state.counters["of_memory"] = seconds_of([&] { benchmark::DoNotOptimize(read_memory(bytes)); }) / seconds_of(ours);
}

void documents_jsonl(benchmark::State& state) {
  const TempFolder folder;
  const std::string bytes = jsonl();
  measure(state, folder.write("a.jsonl", bytes), bytes, {});
}
BENCHMARK(documents_jsonl)->Unit(benchmark::kMillisecond);

void documents_text(benchmark::State& state) {
  const TempFolder folder;
  const std::string bytes = text();
  measure(state, folder.write("a.txt", bytes), bytes, {});
}
BENCHMARK(documents_text)->Unit(benchmark::kMillisecond);

void documents_text_by_paragraph(benchmark::State& state) {
  const TempFolder folder;
  const std::string bytes = text();
  measure(state, folder.write("a.txt", bytes), bytes, {.split = TextSplit::kParagraph});
}
BENCHMARK(documents_text_by_paragraph)->Unit(benchmark::kMillisecond);

void documents_csv(benchmark::State& state) {
  const TempFolder folder;
  const std::string bytes = csv();
  measure(state, folder.write("a.csv", bytes), bytes, {});
}
BENCHMARK(documents_csv)->Unit(benchmark::kMillisecond);

class Nowhere final : public ByteSink {
 public:
  void take(std::span<const char> bytes) override { size += bytes.size(); }
  std::size_t size = 0;
};

void measure_packed(benchmark::State& state, std::string_view name, const std::string& packed, std::string_view bytes,
                    Codec codec) {
  const TempFolder folder;
  const std::string path = folder.write(name, packed);
  measure(state, path, bytes, {});
  const double alone = seconds_of([&] {
    Nowhere sink;
    open_decoder(codec)->feed(packed, sink);
    benchmark::DoNotOptimize(sink.size);
  });
  state.counters["of_codec"] = alone / seconds_of([&] { benchmark::DoNotOptimize(read(path)); });
}

void documents_jsonl_zst(benchmark::State& state) {
  const std::string bytes = jsonl();
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  measure_packed(state, "a.jsonl.zst", packed, bytes, Codec::kZstd);
}
BENCHMARK(documents_jsonl_zst)->Unit(benchmark::kMillisecond);

void documents_jsonl_gz(benchmark::State& state) {
  const std::string bytes = jsonl();
  std::string packed(compressBound(static_cast<uLong>(bytes.size())) + 64, '\0');
  z_stream deflater{};
  deflateInit2(&deflater, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  deflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib's signature; it only reads
  deflater.avail_in = static_cast<uInt>(bytes.size());
  deflater.next_out = reinterpret_cast<Bytef*>(packed.data());
  deflater.avail_out = static_cast<uInt>(packed.size());
  deflate(&deflater, Z_FINISH);
  packed.resize(deflater.total_out);
  deflateEnd(&deflater);
  measure_packed(state, "a.jsonl.gz", packed, bytes, Codec::kGzip);
}
BENCHMARK(documents_jsonl_gz)->Unit(benchmark::kMillisecond);

// Tokens of bytes, 16 bits each.
void documents_megatron(benchmark::State& state) {
  const TempFolder folder;
  const std::string bytes = text();
  std::string tokens;
  std::vector<std::int32_t> lengths;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> starts{0};
  constexpr std::size_t kDocument = 3000;
  for (std::size_t at = 0; at < bytes.size() / 2; at += kDocument) {
    offsets.push_back(static_cast<std::int64_t>(tokens.size()));
    for (const char c : std::string_view(bytes).substr(at, kDocument)) tokens += {c, '\0'};
    tokens += {'\0', '\1'};
    lengths.push_back(static_cast<std::int32_t>((tokens.size() - static_cast<std::size_t>(offsets.back())) / 2));
    starts.push_back(static_cast<std::int64_t>(lengths.size()));
  }
  std::string index("MMIDIDX\0\0\1\0\0\0\0\0\0\0\10", 18);
  const auto append = [&](const auto& numbers) {
    index.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]);
  };
  append(std::vector<std::uint64_t>{lengths.size(), starts.size()});
  append(lengths);
  append(offsets);
  append(starts);
  folder.write("a.bin", tokens);
  measure(state, folder.write("a.idx", index), tokens, {});
}
BENCHMARK(documents_megatron)->Unit(benchmark::kMillisecond);

// Parquet as pyarrow writes it, zstd, one row group; where the module and a Python with pyarrow are.
void documents_parquet_zstd(benchmark::State& state) {
  const TempFolder folder;
  const std::string bytes = jsonl();
  const std::string source = folder.write("a.jsonl", bytes);
  const char* told = std::getenv("ASSAY_PYARROW");
  const std::string python = told != nullptr ? told : ASSAY_SOURCE_DIR "/build/venv/bin/python";
  const std::string path = folder.path("a.parquet");
  const std::string command = python +
                              " -c \"import json, pyarrow, pyarrow.parquet\nrows = [json.loads(line)['text'] for "
                              "line in open('" +
                              source + "')]\npyarrow.parquet.write_table(pyarrow.table({'text': rows}), '" + path +
                              "', compression='zstd')\" 2>/dev/null";
  if (std::system(command.c_str()) != 0 || read(path).bytes == 0) {
    state.SkipWithError("pyarrow, or the module of Arrow, is not there");
    return;
  }
  measure(state, path, std::string_view(bytes).substr(0, read(path).bytes), {});
}
BENCHMARK(documents_parquet_zstd)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
