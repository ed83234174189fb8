/* Resizing with antialias: the bytes of Pillow 13, in plain C and with the vectors of x86-64 and aarch64.

   The arithmetic is Pillow's (src/libImaging/Resample.c, version 13): weights in binary64, for bytes rounded to 22 bits, sums
   of 32 bits, one rounding after each pass. Integers have the same sums in any order, so every kind of vector gives the same.
   Floats are summed in binary64 in Pillow's order; compile without contraction (-ffp-contract=off). */

#include "kernels.h"

#include "axis.h"
#include "vectors.h"

/* Plain C. */

typedef struct {
    uint8_t values[16];
} Plain;

static Plain load_plain(const uint8_t *from) {
    Plain result;
    memcpy(result.values, from, 16);
    return result;
}

static void store_plain(uint8_t *to, Plain bytes) { memcpy(to, bytes.values, 16); }

static Plain sum_plain(const uint8_t *from, ptrdiff_t step, const Axis *axis, int32_t out) {
    const int32_t *weights = axis->weights + (size_t)out * axis->taps;
    uint32_t sums[16];
    Plain result;
    for (int i = 0; i < 16; i++) sums[i] = 1u << (PRECISION - 1);
    for (int32_t tap = 0; tap < axis->count[out]; tap++, from += step)
        for (int i = 0; i < 16; i++) sums[i] += from[i] * (uint32_t)weights[tap];
    for (int i = 0; i < 16; i++) {
        int32_t value = (int32_t)sums[i] >> PRECISION;
        result.values[i] = value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
    }
    return result;
}

static void turn_plain(const uint8_t *from, ptrdiff_t step, uint8_t *to, ptrdiff_t to_step) {
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++) to[x * to_step + y] = from[y * step + x];
}

static void spread_plain(float *to, Plain bytes, const Resizing *job, const float *factors, const float *offsets) {
    for (int i = 0; i < 16; i++) {
        float value = (float)(bytes.values[i] * job->times) * job->unit;
        float product = value * factors[i];
        to[i] = product + offsets[i];
    }
}

static Plain pick_plain(Plain bytes, Plain places) {
    Plain result;
    for (int i = 0; i < 16; i++) result.values[i] = places.values[i] < 16 ? bytes.values[places.values[i]] : 0;
    return result;
}

static Plain join_plain(Plain one, Plain two) {
    for (int i = 0; i < 16; i++) one.values[i] |= two.values[i];
    return one;
}

#define NAME(x) x##_plain
#define TARGET
#define Bytes Plain
#define LOAD load_plain
#define STORE store_plain
#define SUM sum_plain
#define MORE TILE
#define SUM_MORE(to, ...) STORE(to, SUM(__VA_ARGS__))
#define TURN turn_plain
#define PICK pick_plain
#define JOIN join_plain
#define SPREAD spread_plain
#include "bytes.h"

/* AVX2, if the processor has it. */

#if defined(HAS_AVX2)
AVX2 static inline __m128i load_avx2(const uint8_t *from) { return _mm_loadu_si128((const __m128i *)from); }

AVX2 static inline void store_avx2(uint8_t *to, __m128i bytes) { _mm_storeu_si128((__m128i *)to, bytes); }

/* Two weights with 11 more or fewer bits, side by side: products of 16 bits are what these vectors add up two at a time. */
AVX2 static inline __m256i pair_avx2(__m256i weights) { return _mm256_packs_epi32(weights, weights); }

AVX2 static inline __m128i sum_avx2(const uint8_t *from, ptrdiff_t step, const Axis *axis, int32_t out) {
    const int32_t *weights = axis->weights + (size_t)out * axis->taps, count = axis->count[out];
    const __m256i lower_half = _mm256_set1_epi32((1 << HALF_PRECISION) - 1);
    __m256i high0 = _mm256_setzero_si256(), high1 = high0, low0 = _mm256_set1_epi32(1 << (PRECISION - 1)), low1 = low0;
    for (int32_t tap = 0; tap < count; tap += 2, from += 2 * step) {
        __m128i one = load_avx2(from), two = load_avx2(tap + 1 < count ? from + step : from); /* its weight is 0 there */
        __m256i left = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(one, two));
        __m256i right = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(one, two));
        __m256i both = _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(weights + tap)));
        __m256i upper = pair_avx2(_mm256_srai_epi32(both, HALF_PRECISION)), lower = pair_avx2(_mm256_and_si256(both, lower_half));
        high0 = _mm256_add_epi32(high0, _mm256_madd_epi16(left, upper));
        high1 = _mm256_add_epi32(high1, _mm256_madd_epi16(right, upper));
        low0 = _mm256_add_epi32(low0, _mm256_madd_epi16(left, lower));
        low1 = _mm256_add_epi32(low1, _mm256_madd_epi16(right, lower));
    }
    __m256i left = _mm256_add_epi32(_mm256_slli_epi32(high0, HALF_PRECISION), low0);
    __m256i right = _mm256_add_epi32(_mm256_slli_epi32(high1, HALF_PRECISION), low1);
    __m256i packed = _mm256_packs_epi32(_mm256_srai_epi32(left, PRECISION), _mm256_srai_epi32(right, PRECISION));
    packed = _mm256_permute4x64_epi64(packed, 0xD8); /* packing works on each half by itself */
    return _mm_packus_epi16(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1));
}

/* 32 values at once. Each half of a vector is unpacked by itself, and packed again in the end. */
AVX2 static inline void sum_more_avx2(uint8_t *to, const uint8_t *from, ptrdiff_t step, const Axis *axis, int32_t out) {
    const int32_t *weights = axis->weights + (size_t)out * axis->taps, count = axis->count[out];
    const __m256i lower_half = _mm256_set1_epi32((1 << HALF_PRECISION) - 1);
    const __m256i zero = _mm256_setzero_si256();
    __m256i highs[4], lows[4];
    for (int i = 0; i < 4; i++) highs[i] = zero, lows[i] = _mm256_set1_epi32(1 << (PRECISION - 1));
    for (int32_t tap = 0; tap < count; tap += 2, from += 2 * step) {
        __m256i one = _mm256_loadu_si256((const __m256i *)from);
        __m256i two = _mm256_loadu_si256((const __m256i *)(tap + 1 < count ? from + step : from)); /* its weight is 0 there */
        __m256i left = _mm256_unpacklo_epi8(one, two), right = _mm256_unpackhi_epi8(one, two);
        __m256i both = _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(weights + tap)));
        __m256i upper = pair_avx2(_mm256_srai_epi32(both, HALF_PRECISION)), lower = pair_avx2(_mm256_and_si256(both, lower_half));
        __m256i pairs[4] = {_mm256_unpacklo_epi8(left, zero), _mm256_unpackhi_epi8(left, zero),
                            _mm256_unpacklo_epi8(right, zero), _mm256_unpackhi_epi8(right, zero)};
        for (int i = 0; i < 4; i++) {
            highs[i] = _mm256_add_epi32(highs[i], _mm256_madd_epi16(pairs[i], upper));
            lows[i] = _mm256_add_epi32(lows[i], _mm256_madd_epi16(pairs[i], lower));
        }
    }
    for (int i = 0; i < 4; i++)
        lows[i] = _mm256_srai_epi32(_mm256_add_epi32(_mm256_slli_epi32(highs[i], HALF_PRECISION), lows[i]), PRECISION);
    __m256i both = _mm256_packus_epi16(_mm256_packs_epi32(lows[0], lows[1]), _mm256_packs_epi32(lows[2], lows[3]));
    _mm256_storeu_si256((__m256i *)to, both);
}

/* Four rounds, each of which pairs a row with the one 8 further. */
AVX2 static inline void turn_avx2(const uint8_t *from, ptrdiff_t step, uint8_t *to, ptrdiff_t to_step) {
    __m128i one[16], two[16];
    for (int i = 0; i < 16; i++) one[i] = load_avx2(from + i * step);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++) {
            two[2 * i] = _mm_unpacklo_epi8(one[i], one[i + 8]);
            two[2 * i + 1] = _mm_unpackhi_epi8(one[i], one[i + 8]);
        }
        for (int i = 0; i < 8; i++) {
            one[2 * i] = _mm_unpacklo_epi8(two[i], two[i + 8]);
            one[2 * i + 1] = _mm_unpackhi_epi8(two[i], two[i + 8]);
        }
    }
    for (int i = 0; i < 16; i++) store_avx2(to + i * to_step, one[i]);
}

AVX2 static inline void spread_avx2(float *to, __m128i bytes, const Resizing *job, const float *factors, const float *offsets) {
    __m256 times = _mm256_set1_ps((float)job->times), unit = _mm256_set1_ps(job->unit);
    for (int i = 0; i < 16; i += 8, bytes = _mm_srli_si128(bytes, 8)) {
        __m256 values = _mm256_mul_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)), times), unit);
        __m256 products = _mm256_mul_ps(values, _mm256_loadu_ps(factors + i));
        _mm256_storeu_ps(to + i, _mm256_add_ps(products, _mm256_loadu_ps(offsets + i)));
    }
}

#define NAME(x) x##_avx2
#define TARGET AVX2
#define Bytes __m128i
#define LOAD load_avx2
#define STORE store_avx2
#define SUM sum_avx2
#define MORE 32
#define SUM_MORE sum_more_avx2
#define TURN turn_avx2
#define PICK _mm_shuffle_epi8
#define JOIN _mm_or_si128
#define SPREAD spread_avx2
#include "bytes.h"
#endif

#if defined(HAS_VNNI)
/* Numbers from their three digits, rounded to bytes, which are then packed. */
VNNI static inline __m512i rounded_vnni(const __m512i *digits) {
    __m512i sum = _mm512_add_epi32(digits[0], _mm512_slli_epi32(digits[1], 8));
    return _mm512_srai_epi32(_mm512_add_epi32(sum, _mm512_slli_epi32(digits[2], 16)), PRECISION);
}

/* 64 values at once, four taps at a time. */
VNNI static inline void sum_more_vnni(uint8_t *to, const uint8_t *from, ptrdiff_t step, const Axis *axis, int32_t out) {
    const int8_t *digits = axis->digits + (size_t)out * axis->taps * 3;
    int32_t last = axis->count[out] - 1;
    __m512i sums[4][3];
    for (int i = 0; i < 4; i++) sums[i][0] = _mm512_set1_epi32(1 << (PRECISION - 1)), sums[i][1] = sums[i][2] = _mm512_setzero_si512();
    for (int32_t tap = 0; tap <= last; tap += 4, digits += 12) {
        __m512i rows[4];
        for (int i = 0; i < 4; i++) rows[i] = _mm512_loadu_si512(from + (tap + i < last ? tap + i : last) * step); /* or of weight 0 */
        __m512i a = _mm512_unpacklo_epi8(rows[0], rows[1]), b = _mm512_unpacklo_epi8(rows[2], rows[3]);
        __m512i c = _mm512_unpackhi_epi8(rows[0], rows[1]), d = _mm512_unpackhi_epi8(rows[2], rows[3]);
        __m512i fours[4] = {_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b), _mm512_unpacklo_epi16(c, d), _mm512_unpackhi_epi16(c, d)};
        for (int digit = 0; digit < 3; digit++) {
            int32_t four;
            memcpy(&four, digits + 4 * digit, 4);
            for (int i = 0; i < 4; i++) sums[i][digit] = _mm512_dpbusd_epi32(sums[i][digit], fours[i], _mm512_set1_epi32(four));
        }
    }
    __m512i left = _mm512_packs_epi32(rounded_vnni(sums[0]), rounded_vnni(sums[1]));
    _mm512_storeu_si512(to, _mm512_packus_epi16(left, _mm512_packs_epi32(rounded_vnni(sums[2]), rounded_vnni(sums[3]))));
}

VNNI static inline void spread_vnni(float *to, __m128i bytes, const Resizing *job, const float *factors, const float *offsets) {
    __m512 values = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes)), _mm512_set1_ps((float)job->times));
    __m512 products = _mm512_mul_ps(_mm512_mul_ps(values, _mm512_set1_ps(job->unit)), _mm512_loadu_ps(factors));
    _mm512_storeu_ps(to, _mm512_add_ps(products, _mm512_loadu_ps(offsets)));
}
/* For how many times four taps. */
enum { KEPT = 8 };

/* The head and the digits of each 16 values, if they come from 64 bytes for any four taps. */
static int fill_groups(const Plan *plan, const Resizing *job, int32_t blocks) {
    const Axis *axis = &plan->across;
    int64_t values = (int64_t)job->new_columns * job->channels, begin = 0;
    uint8_t *group = plan->groups - (HEAD + blocks * DIGITS);
    for (int64_t place = 0; place < values; place++) {
        int64_t lane = place % 16, channel = place % job->channels, out = place / job->channels;
        if (job->mirror_columns) out = job->new_columns - 1 - out;
        if (lane == 0) {
            group += HEAD + blocks * DIGITS;
            memset(group, 0, (size_t)(HEAD + blocks * DIGITS));
            int64_t last = (place + 15 < values ? place + 15 : values - 1) / job->channels;
            begin = (int64_t)axis->first[job->mirror_columns ? job->new_columns - 1 - last : out] * job->channels;
            memcpy(group + 64, &begin, sizeof begin);
        }
        for (int32_t tap = 0; tap < 4; tap++) {
            int64_t at = (int64_t)(axis->first[out] + tap) * job->channels + channel - begin;
            if (at >= 64 && tap < axis->count[out]) return 0;
            group[lane * 4 + tap] = (uint8_t)(at & 63);
        }
        const int8_t *digits = axis->digits + (size_t)out * axis->taps * 3;
        for (int32_t block = 0; block < blocks; block++)
            for (int32_t digit = 0; digit < 3; digit++)
                memcpy(group + HEAD + block * DIGITS + digit * 64 + lane * 4, digits + block * 12 + digit * 4, 4);
    }
    return 1;
}

/* The 16 values of a group, in all these rows; `blocks` is a constant where it is called, so that its digits stay in registers. */
VBMI static inline void group_vbmi(const Plan *plan, const Resizing *job, const uint8_t *group, const uint8_t *rows, ptrdiff_t step,
                                   int64_t count, int32_t blocks, uint8_t *to) {
    int64_t begin, line = plan->line;
    memcpy(&begin, group + 64, sizeof begin);
    const __m512i places = _mm512_loadu_si512(group);
    __m512i digits[KEPT][3];
    __mmask64 inside[KEPT];
    for (int32_t block = 0; block < blocks; block++) {
        int64_t left = plan->wide - begin - block * 4 * job->channels;
        inside[block] = left >= 64 ? ~(__mmask64)0 : left > 0 ? ((__mmask64)1 << left) - 1 : 0;
        for (int digit = 0; digit < 3; digit++) digits[block][digit] = _mm512_loadu_si512(group + HEAD + block * DIGITS + digit * 64);
    }
    for (rows += begin; count > 0; count--, rows += step, to += line) {
        __m512i sums[3] = {_mm512_set1_epi32(1 << (PRECISION - 1)), _mm512_setzero_si512(), _mm512_setzero_si512()};
        for (int32_t block = 0; block < blocks; block++) {
            __m512i bytes = _mm512_maskz_loadu_epi8(inside[block], rows + block * 4 * job->channels);
            __m512i fours = _mm512_permutexvar_epi8(places, bytes);
            for (int digit = 0; digit < 3; digit++) sums[digit] = _mm512_dpbusd_epi32(sums[digit], fours, digits[block][digit]);
        }
        __m512i sum = _mm512_max_epi32(rounded_vnni(sums), _mm512_setzero_si512());
        _mm_storeu_si128((__m128i *)to, _mm512_cvtusepi32_epi8(sum));
    }
}

/* The new columns without turning the rows: the bytes of four taps are picked for 16 values at once. */
VBMI static int narrow_vbmi(const Plan *plan, const Resizing *job, const uint8_t *rows, ptrdiff_t step, int64_t count) {
    int32_t blocks = plan->across.taps / 4, size = HEAD + blocks * DIGITS;
    int64_t values = (int64_t)job->new_columns * job->channels;
    if (blocks > KEPT || !fill_groups(plan, job, blocks)) return 0;
    for (int64_t y = 0; y < count; y += 16) { /* which stay in the cache */
        int64_t some = count - y < 16 ? count - y : 16;
        const uint8_t *group = plan->groups;
        uint8_t *to = plan->narrow + y * plan->line;
        for (int64_t x = 0; x < values; x += 16, group += size)
            blocks == 1   ? group_vbmi(plan, job, group, rows + y * step, step, some, 1, to + x)
            : blocks == 2 ? group_vbmi(plan, job, group, rows + y * step, step, some, 2, to + x)
                          : group_vbmi(plan, job, group, rows + y * step, step, some, blocks, to + x);
    }
    return 1;
}

/* As many pixels as 64 bytes hold with one permutation, or 16 whose channels come one after another. */
VBMI static int arrange_vbmi(const Plan *plan, const Resizing *job, const uint8_t *row, int mirror, uint8_t *result) {
    int64_t columns = job->new_columns, channels = job->channels, wide = plan->ordered, last = columns - wide;
    const __mmask64 all = ~(__mmask64)0 >> (64 - wide * channels);
    const __m512i order = _mm512_loadu_si512(plan->order);
    if (last < 0) return 0;
    if (job->layout == INTERLEAVED || channels == 1) {
        const uint8_t *from = row + (mirror ? last * channels : 0);
        int64_t step = wide * channels, end = last * channels;
        for (int64_t to = 0; to < end; to += step) /* what is stored behind the pixels is written over by the next ones */
            _mm512_storeu_si512(result + to, _mm512_permutexvar_epi8(order, _mm512_maskz_loadu_epi8(all, from + (mirror ? -to : to))));
        __m512i pixels = _mm512_maskz_loadu_epi8(all, row + (mirror ? 0 : end));
        _mm512_mask_storeu_epi8(result + end, all, _mm512_permutexvar_epi8(order, pixels));
        return 1;
    }
    for (int64_t x = 0; x < columns; x += TILE) {
        int64_t to = x < last ? x : last, at = mirror ? last - to : to;
        __m512i pixels = _mm512_permutexvar_epi8(order, _mm512_maskz_loadu_epi8(all, row + at * channels));
        _mm_storeu_si128((__m128i *)(result + to), _mm512_castsi512_si128(pixels));
        _mm_storeu_si128((__m128i *)(result + columns + to), _mm512_extracti32x4_epi32(pixels, 1));
        if (channels > 2) _mm_storeu_si128((__m128i *)(result + 2 * columns + to), _mm512_extracti32x4_epi32(pixels, 2));
        if (channels > 3) _mm_storeu_si128((__m128i *)(result + 3 * columns + to), _mm512_extracti32x4_epi32(pixels, 3));
    }
    return 1;
}

#define NAME(x) x##_vnni
#define TARGET VNNI
#define Bytes __m128i
#define LOAD load_avx2
#define STORE store_avx2
#define SUM sum_avx2
#define MORE 64
#define SUM_MORE sum_more_vnni
#define TURN turn_avx2
#define PICK _mm_shuffle_epi8
#define JOIN _mm_or_si128
#define SPREAD spread_vnni
#define NARROW(...) (has_vbmi() && narrow_vbmi(__VA_ARGS__))
#define ARRANGE(...) (has_vbmi() && arrange_vbmi(__VA_ARGS__))
#include "bytes.h"
#endif

/* NEON, which every aarch64 has. */

#if defined(HAS_NEON)
static inline uint8x16_t sum_neon(const uint8_t *from, ptrdiff_t step, const Axis *axis, int32_t out) {
    const int32_t *weights = axis->weights + (size_t)out * axis->taps;
    int32x4_t sums[4];
    for (int i = 0; i < 4; i++) sums[i] = vdupq_n_s32(1 << (PRECISION - 1));
    for (int32_t tap = 0; tap < axis->count[out]; tap++, from += step) {
        uint8x16_t bytes = vld1q_u8(from);
        uint16x8_t left = vmovl_u8(vget_low_u8(bytes)), right = vmovl_u8(vget_high_u8(bytes));
        uint16x4_t quarters[4] = {vget_low_u16(left), vget_high_u16(left), vget_low_u16(right), vget_high_u16(right)};
        for (int i = 0; i < 4; i++)
            sums[i] = vmlaq_n_s32(sums[i], vreinterpretq_s32_u32(vmovl_u16(quarters[i])), weights[tap]);
    }
    int16x4_t values[4];
    for (int i = 0; i < 4; i++) values[i] = vqmovn_s32(vshrq_n_s32(sums[i], PRECISION));
    return vcombine_u8(vqmovun_s16(vcombine_s16(values[0], values[1])), vqmovun_s16(vcombine_s16(values[2], values[3])));
}

static inline void turn_neon(const uint8_t *from, ptrdiff_t step, uint8_t *to, ptrdiff_t to_step) {
    uint8x16_t one[16], two[16];
    for (int i = 0; i < 16; i++) one[i] = vld1q_u8(from + i * step);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++) two[2 * i] = vzip1q_u8(one[i], one[i + 8]), two[2 * i + 1] = vzip2q_u8(one[i], one[i + 8]);
        for (int i = 0; i < 8; i++) one[2 * i] = vzip1q_u8(two[i], two[i + 8]), one[2 * i + 1] = vzip2q_u8(two[i], two[i + 8]);
    }
    for (int i = 0; i < 16; i++) vst1q_u8(to + i * to_step, one[i]);
}

static inline void spread_neon(float *to, uint8x16_t bytes, const Resizing *job, const float *factors, const float *offsets) {
    Plain values;
    vst1q_u8(values.values, bytes);
    spread_plain(to, values, job, factors, offsets);
}

#define NAME(x) x##_neon
#define TARGET
#define Bytes uint8x16_t
#define LOAD vld1q_u8
#define STORE vst1q_u8
#define SUM sum_neon
#define MORE TILE
#define SUM_MORE(to, ...) STORE(to, SUM(__VA_ARGS__))
#define TURN turn_neon
#define PICK vqtbl1q_u8
#define JOIN vorrq_u8
#define SPREAD spread_neon
#include "bytes.h"
#endif

/* Floats, in Pillow's mode F: each channel by itself, sums in binary64. */

typedef struct {
    const float *source;
    int64_t row_step, pixel_step; /* in values */
    float *target;
    int64_t new_row_step, new_pixel_step;
} Plane;

/* Four rows at a time, since each sum waits for its last addition. */
static void narrow_floats(const Plane *plane, const Axis *axis, int64_t rows, int32_t new_columns) {
    for (int64_t y = 0; y < rows; y += 4) {
        const float *row[4];
        for (int i = 0; i < 4; i++) row[i] = plane->source + (y + i < rows ? y + i : rows - 1) * plane->row_step;
        for (int32_t out = 0; out < new_columns; out++) {
            const double *weights = axis->exact + out;
            int64_t from = axis->first[out] * plane->pixel_step;
            double sums[4] = {0.0, 0.0, 0.0, 0.0};
            for (int32_t tap = 0; tap < axis->count[out]; tap++, from += plane->pixel_step, weights += new_columns)
                for (int i = 0; i < 4; i++) sums[i] += row[i][from] * *weights;
            for (int i = 0; i < 4 && y + i < rows; i++)
                plane->target[(y + i) * plane->new_row_step + out * plane->new_pixel_step] = (float)sums[i];
        }
    }
}

static void shorten_floats(const Plane *plane, const Axis *axis, int32_t new_rows, int64_t columns) {
    for (int32_t out = 0; out < new_rows; out++) {
        const double *weights = axis->exact + out;
        const float *from = plane->source + axis->first[out] * plane->row_step;
        float *to = plane->target + out * plane->new_row_step;
        for (int64_t x = 0; x < columns; x += 8) {
            int many = columns - x < 8 ? (int)(columns - x) : 8;
            double sums[8] = {0};
            for (int32_t tap = 0; tap < axis->count[out]; tap++)
                for (int i = 0; i < many; i++) sums[i] += from[tap * plane->row_step + (x + i) * plane->pixel_step] * weights[(int64_t)tap * new_rows];
            for (int i = 0; i < many; i++) to[(x + i) * plane->new_pixel_step] = (float)sums[i];
        }
    }
}

static int is_refused(const Resizing *job) {
    const int64_t most = INT32_MAX / 8; /* products of a side and a number of values stay far from 2**63, and first + count from 2**31 */
    return job->rows < 1 || job->columns < 1 || job->new_rows < 1 || job->new_columns < 1 || job->channels < 1
        || job->rows > most || job->columns > most || job->new_rows > most || job->new_columns > most || job->channels > 1 << 16 || job->frames < 1 || job->frames > most
        || job->whole_rows > most || job->whole_columns > most || job->top < 0 || job->left < 0
        || (int64_t)job->top + job->new_rows > job->whole_rows || (int64_t)job->left + job->new_columns > job->whole_columns
        || job->filter < BOX || job->filter > LANCZOS || job->layout < INTERLEAVED || job->layout > PLANAR || !job->source
        || !job->target || !job->factors != !job->offsets || (job->factors && (job->times < 1 || job->times > 1 << 8));
}

PUBLIC int64_t seedsafe_resize_floats(const Resizing *job) {
    if (is_refused(job) || job->frames != 1 || job->factors || job->layout != INTERLEAVED || job->mirror_rows || job->mirror_columns) return REFUSED;
    Axis across, down;
    Dealer dealer = {job->scratch, 0};
    int last = rows_last(job);
    int64_t middle = last ? (int64_t)job->rows * job->new_columns : (int64_t)job->new_rows * job->columns;
    deal_axis(&across, &dealer, job->columns, job->whole_columns, job->new_columns, job->filter, 0);
    deal_axis(&down, &dealer, job->rows, job->whole_rows, job->new_rows, job->filter, 0);
    float *between = deal(&dealer, middle * 4);
    if (!job->scratch || dealer.next > job->scratch_size) return dealer.next;
    fill_axis(&across, job->columns, job->whole_columns, job->left, job->new_columns, job->filter, 0);
    fill_axis(&down, job->rows, job->whole_rows, job->top, job->new_rows, job->filter, 0);
    int64_t out_step = (int64_t)job->new_columns * job->channels;
    for (int32_t channel = 0; channel < job->channels; channel++) {
        const float *source = (const float *)job->source + channel;
        float *target = (float *)job->target + channel;
        int64_t step = job->row_step / 4;
        if (last) {
            narrow_floats(&(Plane){source, step, job->pixel_step, between, job->new_columns, 1}, &across, job->rows, job->new_columns);
            shorten_floats(&(Plane){between, job->new_columns, 1, target, out_step, job->channels}, &down, job->new_rows, job->new_columns);
        } else {
            shorten_floats(&(Plane){source, step, job->pixel_step, between, job->columns, 1}, &down, job->new_rows, job->columns);
            narrow_floats(&(Plane){between, job->columns, 1, target, out_step, job->channels}, &across, job->new_rows, job->new_columns);
        }
    }
    return 0;
}

PUBLIC int64_t seedsafe_resize_bytes(const Resizing *job) {
    if (is_refused(job) || job->pixel_step != job->channels) return REFUSED;
    Resizing rest = *job;
    if (job->rows == job->whole_rows) { /* the part that is kept is all there is */
        rest.source = (const uint8_t *)job->source + job->top * job->row_step;
        rest.rows = rest.whole_rows = job->new_rows, rest.top = 0;
    }
    if (job->columns == job->whole_columns) {
        rest.source = (const uint8_t *)rest.source + (int64_t)job->left * job->channels;
        rest.columns = rest.whole_columns = job->new_columns, rest.left = 0;
    }
#if defined(HAS_VNNI)
    if (job->plain == ANY_VECTORS && has_vnni()) return resize_vnni(&rest);
#endif
#if defined(HAS_AVX2)
    if (job->plain != PLAIN && has_avx2()) return resize_avx2(&rest);
#elif defined(HAS_NEON)
    if (job->plain != PLAIN) return resize_neon(&rest);
#endif
    return resize_plain(&rest);
}

PUBLIC int32_t seedsafe_kernels(void) { return SEEDSAFE_KERNELS; }

PUBLIC const char *seedsafe_vectors(void) {
#if defined(HAS_AVX2)
    return has_avx2() ? "AVX2" : "none";
#elif defined(HAS_NEON)
    return "NEON";
#else
    return "none";
#endif
}
