#pragma once
// Exhaustive tests run in full where the code is optimised; with sanitizers, which make it ten times slower, they take
// every kStride-th input, an odd number so that no bit is always the same.

#include <cstdint>

namespace assay::oracle {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
inline constexpr std::uint64_t kStride = 17;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
inline constexpr std::uint64_t kStride = 17;
#else
inline constexpr std::uint64_t kStride = 1;
#endif
#else
inline constexpr std::uint64_t kStride = 1;
#endif

}  // namespace assay::oracle
