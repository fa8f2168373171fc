#include "base/version.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace assay {
namespace {

// The version is stated once, in CMakeLists.txt; this catches a build that says another one.
TEST(Version, IsTheProjects) {
  std::ifstream file(ASSAY_SOURCE_DIR "/CMakeLists.txt");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find("project(assay VERSION " + std::string(version()) + " "), std::string::npos) << version();
}

}  // namespace
}  // namespace assay
