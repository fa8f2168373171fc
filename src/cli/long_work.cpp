// The line of progress, and what Ctrl-C does.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "base/display.h"
#include "cli/shared_options.h"

namespace assay::cli {

namespace {

std::atomic<bool> interrupt_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // so a signal handler may set it

extern "C" void on_interrupt(int) { interrupt_flag.store(true); }

std::string in_time(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 120) return std::to_string(whole) + " s";
  if (whole < 7200) return std::to_string(whole / 60) + " min";
  return std::to_string(whole / 3600) + " h";
}

// "computing: 37 %, 12 s left"
std::string parts_text(const Progress& progress, double seconds) {
  const auto done = static_cast<double>(progress.parts_done.load());
  const auto total = static_cast<double>(progress.parts_total.load());
  if (interrupt_flag.load()) return "interrupted: showing what is there (Ctrl-C again ends at once)";
  std::string out = "computing: " + std::to_string(std::llround(100 * done / total)) + " %";
  if (done > 0) out += ", " + in_time(seconds * (total - done) / done) + " left";
  return out;
}

// "1,234 of 10,000 files, 3.2 of 10 GB, 410 MB/s, 17 s left"
std::string progress_text(const Progress& progress, double seconds) {
  if (progress.parts_total.load() > 0) return parts_text(progress, seconds);
  const auto files = static_cast<long long>(progress.files_total.load());
  const auto done = static_cast<double>(progress.bytes_done.load());
  const auto total = static_cast<double>(progress.bytes_total.load());
  const bool knows_end = total > 0 && done <= total;
  std::string out = "reading";
  if (files > 1) out += ": " + std::to_string(progress.files_done.load()) + " of " + std::to_string(files) + " files,";
  if (interrupt_flag.load())
    return "interrupted: judging the " + size_text(done) + " that were read (Ctrl-C again ends at once)";
  if (knows_end && done == total) return out + " " + size_text(done) + ": done, judging";
  out += " " + size_text(done);
  if (knows_end) out += " of " + size_text(total);
  const double rate = done / seconds;
  out += ", " + size_text(rate) + "/s";
  if (knows_end && rate > 0) out += ", " + in_time((total - done) / rate) + " left";
  return out;
}

}  // namespace

struct LongWork::Display {
  explicit Display(const Progress& progress) : thread([this, &progress] { show(progress); }) {}

  ~Display() {
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    changed.notify_one();
    thread.join();
  }

  void show(const Progress& progress) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    bool shown = false;
    std::unique_lock lock(mutex);
    auto wait = std::chrono::milliseconds(1000);
    while (!changed.wait_for(lock, wait, [this] { return over; })) {
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      // Back to the start of the line, the text, and away with what an earlier, longer one left.
      const std::string line = "\r" + progress_text(progress, seconds) + "\x1b[K";
      std::fputs(line.c_str(), stderr);
      std::fflush(stderr);
      shown = true;
      wait = std::chrono::milliseconds(200);
    }
    if (shown) std::fputs("\r\x1b[K", stderr);
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::thread thread;
};

LongWork::LongWork(bool quiet) {
  struct sigaction action = {};
  sigaction(SIGINT, nullptr, &action);
  if (action.sa_handler != SIG_IGN) {  // a job in the background is not to be stopped by the terminal
    action = {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the program
    sigaction(SIGINT, &action, nullptr);
  }
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string(terminal) == "dumb";
  if (!quiet && !dumb && isatty(STDERR_FILENO) == 1) display_ = std::make_unique<Display>(progress_);
}

LongWork::~LongWork() = default;

const std::atomic<bool>* LongWork::interrupted() { return &interrupt_flag; }

}  // namespace assay::cli
