/* Which vectors the processor has: AVX2 is asked for at run time, NEON is in every aarch64. */

#ifndef SEEDSAFE_VECTORS_H
#define SEEDSAFE_VECTORS_H

#if defined(__x86_64__) || defined(_M_X64)
#define HAS_AVX2
#include <immintrin.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define AVX2
#else
#define AVX2 __attribute__((target("avx2")))
#endif

static inline int has_avx2(void) {
#if defined(_MSC_VER) && !defined(__clang__)
    int found[4];
    __cpuidex(found, 1, 0);
    if (!(found[2] & 1 << 27) || (_xgetbv(0) & 6) != 6) return 0; /* the system keeps the upper halves */
    __cpuidex(found, 7, 0);
    return found[1] >> 5 & 1;
#else
    return __builtin_cpu_supports("avx2");
#endif
}

/* Newer processors multiply 32 numbers of 16 bits and add them up at once. */
#if !defined(_MSC_VER) || defined(__clang__)
#define HAS_VNNI
#define VNNI __attribute__((target("avx2,avx512f,avx512bw,avx512vnni")))

#define VBMI __attribute__((target("avx2,avx512f,avx512bw,avx512vnni,avx512vbmi")))

static inline int has_vbmi(void) { return __builtin_cpu_supports("avx512vbmi"); }

static inline int has_vnni(void) { return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni"); }
#endif
#endif

#if defined(__aarch64__) || defined(_M_ARM64)
#define HAS_NEON
#include <arm_neon.h>
#endif

#endif
