#pragma once
// Archives of logs: tar (plain or compressed) and zip, as they come from clusters and from continuous integration. Each
// member is read as if it lay in a folder with the archive's name; nothing is ever written to the disk, so that a
// member called "/etc/passwd" or "../x" can do no harm: its name is only a name.
//
// Logs compressed with bzip2, xz, lzma or lz4 come the same way, as an archive of one member.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "format/reader.h"

namespace assay {

/// The kinds of file (FileRecord::kind) that read_archive() opens.
bool is_archive(std::string_view kind);

/// Reads what is in an archive of that kind: first a recording without rows that stands for the archive itself (its
/// ledger tells what is broken or left out), then one for each member that is a file, in the order of the archive; for
/// a single compressed log that one alone. Of two members of one name the later one counts, as in tar.
/// wanted: whether a member of that path is to be read. Never throws; a failure is in the first recording.
/// Limits: 100,000 members, and the ratio of CodecLimits.
std::vector<Recording> read_archive(const std::string& path, std::string_view kind, const ReadOptions& options,
                                    const std::function<bool(std::string_view path)>& wanted);

}  // namespace assay
