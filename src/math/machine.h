/* machine.h: compile one source for several kinds of processors, and choose between them at run time.
 *
 * A kernel is an inline function over an array. TW_FOR_EACH_MACHINE(KERNEL) instantiates it as KERNEL(suffix,
 * target attribute, whether fma is one instruction) for the x86-64 levels v4 (512-bit vectors), v3 (256-bit
 * vectors) and the baseline, and TW_ON_THIS_MACHINE(name, arguments) calls the version for this processor. On
 * other architectures only the baseline exists. TALWEG_PLAIN_MACHINE has the same effect, for tests:
 * CMakeLists.txt defines it for a second copy of these files, and not for the library.
 */
#ifndef TALWEG_MATH_MACHINE_H
#define TALWEG_MATH_MACHINE_H

#include <stdbool.h>

enum { TW_GROUP = 8 }; /* number of doubles in the widest vector */

#define TW_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__) && !defined(TALWEG_PLAIN_MACHINE)
/* What the levels have beyond the baseline, and not "arch=x86-64-v4": that would take away what -march=native
 * adds, and gcc inlines no function into one for a processor that has less. */
#define TW_FEATURES_V3 "avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt"
#define TW_FEATURES_V4 TW_FEATURES_V3 ",avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
#ifdef __clang__ /* clang reads the width from the option -mprefer-vector-width=512 only */
#define TW_TARGET_V4 __attribute__((target(TW_FEATURES_V4)))
#else
#define TW_TARGET_V4 __attribute__((target(TW_FEATURES_V4 ",prefer-vector-width=512")))
#endif
#define TW_TARGET_V3 __attribute__((target(TW_FEATURES_V3)))

#define TW_FOR_EACH_MACHINE(KERNEL) \
    KERNEL(_v4, TW_TARGET_V4, true) KERNEL(_v3, TW_TARGET_V3, true) KERNEL(_plain, , false)

#define TW_ON_THIS_MACHINE(name, ...)                                                           \
    (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&                \
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")           \
         ? name##_v4(__VA_ARGS__)                                                               \
     : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? name##_v3(__VA_ARGS__) \
                                                                       : name##_plain(__VA_ARGS__))
#else
#define TW_FOR_EACH_MACHINE(KERNEL) KERNEL(_plain, , false)
#define TW_ON_THIS_MACHINE(name, ...) name##_plain(__VA_ARGS__)
#endif

#endif
