// A main for a fuzz target where libFuzzer is not linked.
//
//   fuzz_NAME [--mutations N] [--cuts N] PATH...
//
// Runs every file at or below the paths (in the order of their names; a path that does not exist is skipped, so is a
// file above kMaxSeed), each also cut at N places, then N inputs made from them: cut, doubled, spliced, with bytes
// changed or with text put in that trips readers. The generator has a fixed seed, so that every build meets the same
// inputs and a failure comes back. An input that crashes is written to fuzz_NAME.crash in the working directory.

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Present where a sanitizer is linked; it ends the program without a signal.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is the sanitizers'
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

constexpr std::uintmax_t kMaxSeed = 1 << 16;  // larger seeds would make the test slow and add nothing
constexpr std::string_view kTroublesome[] = {
    "nan",      "NaN",     "-inf",    "1e999",        "-0.0",  "99999999999999999999",
    "\r",       "\n\n",    "\r\n",    "\x1b[31m",     "\x1b[", ",",
    "\"",       "{",       "}",       "[[[[",         "]",     "|",
    "=",        ": ",      "\\u0000", "\\ud800",      "'",     "null",
    "\0",       "\xff",    "\xc3",    "\xef\xbb\xbf", " ",     "0x7fffffff",
    "-1.#IND0", "100%|##",
};

const std::string* g_current = nullptr;  // the input that runs now
std::string g_crash_path;

// Not safe in a signal handler by the letter; the process is lost anyway, and the input is worth the try.
void save_current() {
  if (g_current == nullptr) return;
  if (std::FILE* file = std::fopen(g_crash_path.c_str(), "wb")) {
    std::fwrite(g_current->data(), 1, g_current->size(), file);
    std::fclose(file);
    std::fprintf(stderr, "the input is in %s\n", g_crash_path.c_str());
  }
}

void on_signal(int signal) {
  save_current();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const std::string& input) {
  g_current = &input;
  // An exact-size copy: reading one byte past the end is then seen by AddressSanitizer.
  std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  g_current = nullptr;
}

// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Uniform enough in [0, n); 0 where n is 0.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(next() % n); }

 private:
  std::uint64_t state_ = 1;
};

void mutate(std::string& text, const std::vector<std::string>& seeds, Random& random) {
  const std::size_t at = random.below(text.size() + 1);
  const std::size_t length = random.below(std::min<std::size_t>(text.size() - at, 200) + 1);
  switch (random.below(7)) {
    case 0: text.resize(at); break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, std::string(text, at, length)); break;
    case 3: text.insert(at, kTroublesome[random.below(std::size(kTroublesome))]); break;
    case 4: text.replace(at, length, kTroublesome[random.below(std::size(kTroublesome))]); break;
    case 5: {
      const std::string& other = seeds[random.below(seeds.size())];
      const std::size_t from = random.below(other.size() + 1);
      text.insert(at, other, from, random.below(1000));
      break;
    }
    default:
      if (at < text.size()) text[at] = static_cast<char>(random.next());
  }
}

std::vector<std::string> read_seeds(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) files.emplace_back(path);
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      if (it->is_regular_file(error) && it->file_size(error) <= kMaxSeed) files.push_back(it->path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t mutations = 0;
  std::size_t cuts = 0;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--mutations") == 0 && i + 1 < argc) {
      mutations = std::strtoul(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--cuts") == 0 && i + 1 < argc) {
      cuts = std::strtoul(argv[++i], nullptr, 10);
    } else {
      paths.emplace_back(argv[i]);
    }
  }
  g_crash_path = std::filesystem::path(argv[0]).filename().string() + ".crash";
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, on_signal);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(save_current);

  std::vector<std::string> seeds = read_seeds(paths);
  for (const std::string& seed : seeds) {
    run(seed);
    for (std::size_t i = 1; i <= cuts; ++i) run(seed.substr(0, seed.size() * i / (cuts + 1)));
  }
  run("");
  if (seeds.empty()) seeds.emplace_back("step 1 loss 2.5\n");
  Random random;
  for (std::size_t i = 0; i < mutations; ++i) {
    std::string text = seeds[random.below(seeds.size())];
    for (std::size_t edits = 1 + random.below(6); edits > 0; --edits) mutate(text, seeds, random);
    run(text);
  }
  std::printf("%zu seeds and %zu mutations of them: no failure\n", seeds.size(), mutations);
  return 0;
}
