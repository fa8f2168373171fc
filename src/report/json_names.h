#pragma once
// How the enumerations are written in JSON: read and written from the same tables.

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "assay/report.h"

namespace assay::json_names {

inline constexpr int kSchema = 1;

template <class Enum, std::size_t size>
using Names = std::array<std::pair<Enum, std::string_view>, size>;

inline constexpr Names<Severity, 3> kSeverities = {
    {{Severity::kNote, "note"}, {Severity::kWarning, "warning"}, {Severity::kError, "error"}}};

inline constexpr Names<Unit, 14> kUnits = {{{Unit::kNone, ""},
                                            {Unit::kNats, "nats"},
                                            {Unit::kSecond, "s"},
                                            {Unit::kPercent, "%"},
                                            {Unit::kSamples, "samples"},
                                            {Unit::kTokens, "tokens"},
                                            {Unit::kSteps, "steps"},
                                            {Unit::kEpochs, "epochs"},
                                            {Unit::kBytes, "bytes"},
                                            {Unit::kGib, "GiB"},
                                            {Unit::kTflops, "TFLOP/s"},
                                            {Unit::kTokensPerSecond, "tokens/s"},
                                            {Unit::kSamplesPerSecond, "samples/s"},
                                            {Unit::kTimes, "times"}}};

inline constexpr Names<TrainingKind, 7> kKinds = {{{TrainingKind::kUnknown, "unknown"},
                                                   {TrainingKind::kPretraining, "pretraining"},
                                                   {TrainingKind::kFineTuning, "fine-tuning"},
                                                   {TrainingKind::kPreference, "preference"},
                                                   {TrainingKind::kReinforcement, "reinforcement"},
                                                   {TrainingKind::kAdversarial, "adversarial"},
                                                   {TrainingKind::kSelfDistillation, "self-distillation"}}};

inline constexpr Names<PlaceUnit, 2> kPlaceUnits = {{{PlaceUnit::kLine, "line"}, {PlaceUnit::kRecord, "record"}}};

inline constexpr Names<FileState, 4> kStates = {{{FileState::kRead, "read"},
                                                 {FileState::kNothingRead, "nothing-read"},
                                                 {FileState::kUnknown, "passed-over"},
                                                 {FileState::kFailed, "failed"}}};

inline constexpr Names<ErrorCode, 8> kErrorCodes = {{{ErrorCode::kNotFound, "not-found"},
                                                     {ErrorCode::kUnreadable, "unreadable"},
                                                     {ErrorCode::kUnrecognised, "unrecognised"},
                                                     {ErrorCode::kCorrupt, "corrupt"},
                                                     {ErrorCode::kTruncated, "truncated"},
                                                     {ErrorCode::kLimit, "limit"},
                                                     {ErrorCode::kUsage, "usage"},
                                                     {ErrorCode::kInternal, "internal"}}};

inline constexpr Names<EventKind, 12> kEvents = {{{EventKind::kOverflow, "overflow"},
                                                  {EventKind::kScaleChange, "scale-change"},
                                                  {EventKind::kScaleAtMinimum, "scale-at-minimum"},
                                                  {EventKind::kNonFinite, "non-finite"},
                                                  {EventKind::kRerun, "rerun"},
                                                  {EventKind::kRanksDiffer, "ranks-differ"},
                                                  {EventKind::kHardwareFault, "hardware-fault"},
                                                  {EventKind::kCheckpointSaved, "checkpoint-saved"},
                                                  {EventKind::kCheckpointLoaded, "checkpoint-loaded"},
                                                  {EventKind::kRunStart, "run-start"},
                                                  {EventKind::kRunEnd, "run-end"},
                                                  {EventKind::kAborted, "aborted"}}};

inline constexpr Names<TableColumn::Shown, 4> kShown = {{{TableColumn::Shown::kAlways, "always"},
                                                         {TableColumn::Shown::kSingle, "single"},
                                                         {TableColumn::Shown::kSeveral, "several"},
                                                         {TableColumn::Shown::kNever, "never"}}};

inline constexpr Names<BitField::Kind, 5> kBitFields = {{{BitField::Kind::kSign, "sign"},
                                                         {BitField::Kind::kPrefix, "prefix"},
                                                         {BitField::Kind::kExponent, "exponent"},
                                                         {BitField::Kind::kFraction, "fraction"},
                                                         {BitField::Kind::kUnused, "unused"}}};

inline constexpr Names<SourceRole, 8> kRoles = {{{SourceRole::kMain, "main"},
                                                 {SourceRole::kSame, "same-series"},
                                                 {SourceRole::kMore, "same-run"},
                                                 {SourceRole::kPart, "part"},
                                                 {SourceRole::kRank, "rank"},
                                                 {SourceRole::kMessages, "messages"},
                                                 {SourceRole::kSettings, "settings"},
                                                 {SourceRole::kSummary, "summary"}}};

template <class Enum, std::size_t size>
std::string_view to_name(const Names<Enum, size>& names, Enum value) {
  for (const auto& [one, name] : names) {
    if (one == value) return name;
  }
  return names[0].second;
}

template <class Enum, std::size_t size>
std::optional<Enum> from_name(const Names<Enum, size>& names, std::string_view name) {
  for (const auto& [one, own] : names) {
    if (own == name) return one;
  }
  return std::nullopt;
}

}  // namespace assay::json_names
