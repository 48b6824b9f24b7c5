#pragma once

// Annotations for Clang's thread-safety analysis, which checks that a guarded member is accessed
// only under its lock. Other compilers ignore them. scripts/lint runs the analysis.
#if defined(__clang__)
#define CRAWLER_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define CRAWLER_THREAD_ANNOTATION(x)
#endif

#define CRAWLER_CAPABILITY(x) CRAWLER_THREAD_ANNOTATION(capability(x))
#define CRAWLER_SCOPED_CAPABILITY CRAWLER_THREAD_ANNOTATION(scoped_lockable)
#define CRAWLER_GUARDED_BY(x) CRAWLER_THREAD_ANNOTATION(guarded_by(x))
#define CRAWLER_PT_GUARDED_BY(x) CRAWLER_THREAD_ANNOTATION(pt_guarded_by(x))
#define CRAWLER_REQUIRES(...) CRAWLER_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define CRAWLER_EXCLUDES(...) CRAWLER_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define CRAWLER_ACQUIRE(...) CRAWLER_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define CRAWLER_RELEASE(...) CRAWLER_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define CRAWLER_NO_THREAD_SAFETY_ANALYSIS CRAWLER_THREAD_ANNOTATION(no_thread_safety_analysis)
