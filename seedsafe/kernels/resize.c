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

#define NAME(x) x##_plain
#define TARGET
#define Bytes Plain
#define LOAD load_plain
#define STORE store_plain
#define SUM sum_plain
#define TURN turn_plain
#define SPREAD spread_plain
#include "bytes.h"

/* AVX2, if the processor has it. */

#if defined(HAS_AVX2)
AVX2 static inline __m128i load_avx2(const uint8_t *from) { return _mm_loadu_si128((const __m128i *)from); }

AVX2 static inline void store_avx2(uint8_t *to, __m128i bytes) { _mm_storeu_si128((__m128i *)to, bytes); }

AVX2 static inline __m256i pair_avx2(const int16_t *weights) {
    int32_t both;
    memcpy(&both, weights, 4);
    return _mm256_set1_epi32(both);
}

AVX2 static inline __m128i sum_avx2(const uint8_t *from, ptrdiff_t step, const Axis *axis, int32_t out) {
    const int16_t *high = axis->high + (size_t)out * axis->taps, *low = axis->low + (size_t)out * axis->taps;
    int32_t count = axis->count[out];
    __m256i high0 = _mm256_setzero_si256(), high1 = high0, low0 = _mm256_set1_epi32(1 << (PRECISION - 1)), low1 = low0;
    for (int32_t tap = 0; tap < count; tap += 2, from += 2 * step) {
        __m128i one = load_avx2(from), two = tap + 1 < count ? load_avx2(from + step) : one; /* its weight is 0 there */
        __m256i left = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(one, two));
        __m256i right = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(one, two));
        __m256i upper = pair_avx2(high + tap), lower = pair_avx2(low + tap);
        high0 = _mm256_add_epi32(high0, _mm256_madd_epi16(left, upper));
        high1 = _mm256_add_epi32(high1, _mm256_madd_epi16(right, upper));
        low0 = _mm256_add_epi32(low0, _mm256_madd_epi16(left, lower));
        low1 = _mm256_add_epi32(low1, _mm256_madd_epi16(right, lower));
    }
    __m256i left = _mm256_add_epi32(_mm256_slli_epi32(high0, HALF_PRECISION), low0);
    __m256i right = _mm256_add_epi32(_mm256_slli_epi32(high1, HALF_PRECISION), low1);
    __m256i both = _mm256_packs_epi32(_mm256_srai_epi32(left, PRECISION), _mm256_srai_epi32(right, PRECISION));
    both = _mm256_permute4x64_epi64(both, 0xD8); /* packing works on each half by itself */
    return _mm_packus_epi16(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
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
#define TURN turn_avx2
#define SPREAD spread_avx2
#include "bytes.h"
#endif

#if defined(HAS_VNNI)
VNNI static inline __m128i sum_vnni(const uint8_t *from, ptrdiff_t step, const Axis *axis, int32_t out) {
    const int16_t *high = axis->high + (size_t)out * axis->taps, *low = axis->low + (size_t)out * axis->taps;
    int32_t count = axis->count[out];
    __m512i upper = _mm512_setzero_si512(), lower = _mm512_set1_epi32(1 << (PRECISION - 1));
    for (int32_t tap = 0; tap < count; tap += 2, from += 2 * step) {
        __m128i one = load_avx2(from), two = tap + 1 < count ? load_avx2(from + step) : one; /* its weight is 0 there */
        __m256i pairs = _mm256_set_m128i(_mm_unpackhi_epi8(one, two), _mm_unpacklo_epi8(one, two));
        __m512i wide = _mm512_cvtepu8_epi16(pairs);
        int32_t above, below;
        memcpy(&above, high + tap, 4);
        memcpy(&below, low + tap, 4);
        upper = _mm512_dpwssd_epi32(upper, wide, _mm512_set1_epi32(above));
        lower = _mm512_dpwssd_epi32(lower, wide, _mm512_set1_epi32(below));
    }
    __m512i sums = _mm512_srai_epi32(_mm512_add_epi32(_mm512_slli_epi32(upper, HALF_PRECISION), lower), PRECISION);
    return _mm512_cvtusepi32_epi8(_mm512_max_epi32(sums, _mm512_setzero_si512()));
}

#define NAME(x) x##_vnni
#define TARGET VNNI
#define Bytes __m128i
#define LOAD load_avx2
#define STORE store_avx2
#define SUM sum_vnni
#define TURN turn_avx2
#define SPREAD spread_avx2
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
#define TURN turn_neon
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
            const double *weights = axis->exact + (size_t)out * axis->taps;
            int64_t from = axis->first[out] * plane->pixel_step;
            double sums[4] = {0.0, 0.0, 0.0, 0.0};
            for (int32_t tap = 0; tap < axis->count[out]; tap++, from += plane->pixel_step)
                for (int i = 0; i < 4; i++) sums[i] += row[i][from] * weights[tap];
            for (int i = 0; i < 4 && y + i < rows; i++)
                plane->target[(y + i) * plane->new_row_step + out * plane->new_pixel_step] = (float)sums[i];
        }
    }
}

static void shorten_floats(const Plane *plane, const Axis *axis, int32_t new_rows, int64_t columns) {
    for (int32_t out = 0; out < new_rows; out++) {
        const double *weights = axis->exact + (size_t)out * axis->taps;
        const float *from = plane->source + axis->first[out] * plane->row_step;
        float *to = plane->target + out * plane->new_row_step;
        for (int64_t x = 0; x < columns; x += 8) {
            int many = columns - x < 8 ? (int)(columns - x) : 8;
            double sums[8] = {0};
            for (int32_t tap = 0; tap < axis->count[out]; tap++)
                for (int i = 0; i < many; i++) sums[i] += from[tap * plane->row_step + (x + i) * plane->pixel_step] * weights[tap];
            for (int i = 0; i < many; i++) to[(x + i) * plane->new_pixel_step] = (float)sums[i];
        }
    }
}

static int is_refused(const Resizing *job) {
    const int64_t most = INT32_MAX / 8; /* products of a side and a number of values stay far from 2**63, and first + count from 2**31 */
    return job->rows < 1 || job->columns < 1 || job->new_rows < 1 || job->new_columns < 1 || job->channels < 1
        || job->rows > most || job->columns > most || job->new_rows > most || job->new_columns > most || job->channels > 1 << 16
        || job->whole_rows > most || job->whole_columns > most || job->top < 0 || job->left < 0
        || (int64_t)job->top + job->new_rows > job->whole_rows || (int64_t)job->left + job->new_columns > job->whole_columns
        || job->filter < BOX || job->filter > LANCZOS || job->layout < INTERLEAVED || job->layout > PLANAR || !job->source
        || !job->target || !job->factors != !job->offsets || (job->factors && (job->times < 1 || job->times > 1 << 8));
}

PUBLIC int64_t seedsafe_resize_floats(const Resizing *job) {
    if (is_refused(job) || job->factors || job->layout != INTERLEAVED || job->mirror_rows || job->mirror_columns) return REFUSED;
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
#if defined(HAS_VNNI)
    if (job->plain == ANY_VECTORS && has_vnni()) return resize_vnni(job);
#endif
#if defined(HAS_AVX2)
    if (job->plain != PLAIN && has_avx2()) return resize_avx2(job);
#elif defined(HAS_NEON)
    if (job->plain != PLAIN) return resize_neon(job);
#endif
    return resize_plain(job);
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
