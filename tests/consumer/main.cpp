// Checks a log through the public API alone, writing the log first. Ends with 0 when the loss spike in it is found.

#include <assay/check.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// A run that falls smoothly to a loss of 2.5, with a plain spike at steps 600–604.
bool write_log(const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return false;
  for (int step = 1; step <= 1000; ++step) {
    const double wobble = 0.01 * ((step * 7919) % 13 - 6);
    const double spike = step >= 600 && step < 605 ? 4.0 : 0.0;
    std::fprintf(file, "step %d | loss %.4f | grad_norm %.3f | lr 3.00e-04\n", step,
                 2.5 + 8.0 / (step + 2) + wobble + spike, 0.8 + wobble + 3 * spike);
  }
  return std::fclose(file) == 0;
}

bool is_the_spike(const assay::Finding& finding) {
  if (finding.name != "loss-spike" || !finding.where || !finding.where->steps) return false;
  return finding.where->steps->first >= 595 && finding.where->steps->first <= 605;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !write_log(argv[1])) return EXIT_FAILURE;
  const auto report = assay::check({argv[1]}, {});
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return EXIT_FAILURE;
  }
  for (const assay::Finding& finding : report->findings) {
    std::printf("%s %s\n", std::string(name(finding.severity)).c_str(), finding.name.c_str());
    if (is_the_spike(finding)) return EXIT_SUCCESS;
  }
  std::fputs("the spike at step 600 was not found\n", stderr);
  return EXIT_FAILURE;
}
