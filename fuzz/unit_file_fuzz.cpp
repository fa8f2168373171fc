// Any bytes as a device's results: no crash, the same file or the same fault however they are cut, and what is read can
// be checked against a unit.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/tensors/probe_file.h"
#include "study/unit_rows.h"

namespace {

assay::Result<assay::ProbeFile> read(std::string_view bytes, std::size_t piece) {
  assay::ProbeReader reader("file", {.line = 1 << 16, .width = 256, .patterns = 1 << 16, .sections = 50, .keys = 50});
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!reader.feed(bytes.substr(at, piece))) break;
  }
  return reader.finish();
}

std::string digest(const assay::Result<assay::ProbeFile>& file) {
  if (!file) return std::to_string(file.error().where.line) + file.error().message;
  std::string out;
  for (const auto& [key, value] : file->keys) out += key + '=' + value + '\n';
  for (const assay::ProbeSection& section : file->sections) {
    out += section.kind + std::to_string(section.line) + '\n';
    for (const auto& [key, value] : section.keys) out += key + '=' + value + '\n';
    for (const assay::ProbeColumn& column : section.columns) {
      out += column.name + std::to_string(column.width);
      if (column.patterns.size() != column.width * section.rows()) std::abort();
      for (const std::uint32_t pattern : column.patterns) out += ' ' + std::to_string(pattern);
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const assay::Result<assay::ProbeFile> file = read(bytes, size + 1);
  if (digest(file) != digest(read(bytes, 1 + size % 17))) std::abort();
  if (!file) return 0;
  const assay::MatrixUnit& unit = assay::matrix_units().front();
  for (const assay::ProbeSection& section : file->sections) {
    const assay::Result<assay::UnitRows> rows = assay::unit_rows(*file, section);
    if (rows && assay::rows_right(unit, *rows) > rows->rows) std::abort();
  }
  return 0;
}
