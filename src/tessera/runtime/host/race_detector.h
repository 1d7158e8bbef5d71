/// RaceDetector: defines TESSERA_RACE_DETECTOR where the thread sanitizer is built in.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESSERA_RACE_DETECTOR 1
#endif
#endif
