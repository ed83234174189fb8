/* Affine maps: the bytes of Pillow's Image.transform (src/libImaging/Geometry.c), "nearest" and "bilinear".

   "nearest" adds up whole numbers of 16 bits behind the point. "bilinear" computes in binary64, each product and sum rounded by
   itself; compile without contraction (-ffp-contract=off). */

#include "kernels.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

static int is_refused(const Warping *job) {
    const int32_t most = 32766; /* a longer side does not fit into Pillow's fixed point */
    const double far = 1099511627776.0; /* 2**40: steps of 2**56, times a side, stay in 64 bits */
    if (job->rows < 1 || job->columns < 1 || job->rows > most || job->columns > most || job->pixel < 1 || job->pixel > 1 << 10
        || job->filter < NEAREST || job->filter > LINEAR || !job->source || !job->target || !job->fill)
        return 1;
    for (int i = 0; i < 6; i++)
        if (!(job->matrix[i] > -far && job->matrix[i] < far)) return 1;
    return 0;
}

static int64_t fixed(double number) { return (int64_t)floor(number * 65536.0 + 0.5); }

static int64_t floor_divide(int64_t number, int64_t by) { return number / by - (number % by < 0); }

/* Narrow the pixels from `first` to before `last` to those with 0 <= start + x * step < limit. */
static void narrow(int64_t start, int64_t step, int64_t limit, int64_t *first, int64_t *last) {
    int64_t from = *first, to = *last;
    if (step > 0) {
        from = -floor_divide(start, step);
        to = -floor_divide(start - limit, step);
    } else if (step < 0) {
        from = floor_divide(start - limit, -step) + 1;
        to = floor_divide(start, -step) + 1;
    } else if (start < 0 || start >= limit) {
        to = from;
    }
    if (from > *first) *first = from < *last ? from : *last;
    if (to < *last) *last = to > *first ? to : *first;
}

static inline void fill(const Warping *job, uint8_t *row, int64_t first, int64_t last, int32_t pixel) {
    for (int64_t x = first; x < last; x++) memcpy(row + x * pixel, job->fill, (size_t)pixel);
}

/* `pixel` is a constant where it is called, so that a copy is a move. */
static inline void take_nearest(const Warping *job, int32_t pixel) {
    const double *m = job->matrix;
    int64_t across[3] = {fixed(m[0]), fixed(m[1]), fixed(m[2] + m[0] * 0.5 + m[1] * 0.5)};
    int64_t down[3] = {fixed(m[3]), fixed(m[4]), fixed(m[5] + m[3] * 0.5 + m[4] * 0.5)};
    for (int32_t y = 0; y < job->rows; y++) {
        uint8_t *row = (uint8_t *)job->target + (int64_t)y * job->columns * pixel;
        int64_t from_x = across[2] + across[1] * y, from_y = down[2] + down[1] * y, first = 0, last = job->columns;
        narrow(from_x, across[0], (int64_t)job->columns << 16, &first, &last);
        narrow(from_y, down[0], (int64_t)job->rows << 16, &first, &last);
        fill(job, row, 0, first, pixel);
        from_x += across[0] * first, from_y += down[0] * first;
        for (int64_t x = first; x < last; x++, from_x += across[0], from_y += down[0])
            memcpy(row + x * pixel, (const uint8_t *)job->source + (from_y >> 16) * job->row_step + (from_x >> 16) * pixel,
                   (size_t)pixel);
        fill(job, row, last, job->columns, pixel);
    }
}

/* The four pixels around a point of the source, and its distances from the first. */
typedef struct {
    const uint8_t *pixels[4];
    double right, below;
    int deep; /* whether a byte behind each of the pixels is in the source, too */
} Around;

static inline int32_t within(int32_t at, int32_t size) { return at < 0 ? 0 : at < size ? at : size - 1; }

static inline int find(const Warping *job, int32_t pixel, int32_t x, int32_t y, Around *around) {
    const double *m = job->matrix;
    double across = m[0] * (x + 0.5) + m[1] * (y + 0.5) + m[2], down = m[3] * (x + 0.5) + m[4] * (y + 0.5) + m[5];
    if (!(across >= 0.0 && across < job->columns && down >= 0.0 && down < job->rows)) return 0;
    across -= 0.5, down -= 0.5;
    /* Both are -0.5 or more. A cast rounds towards 0, which is up for what is negative. */
    int32_t left = across < 0.0 ? -1 : (int32_t)across, top = down < 0.0 ? -1 : (int32_t)down;
    around->right = across - left, around->below = down - top;
    around->deep = left >= 0 && left + 2 < job->columns && top >= 0 && top + 1 < job->rows;
    if (around->deep) {
        const uint8_t *corner = (const uint8_t *)job->source + top * job->row_step + (int64_t)left * pixel;
        around->pixels[0] = corner, around->pixels[1] = corner + pixel;
        around->pixels[2] = corner + job->row_step, around->pixels[3] = corner + job->row_step + pixel;
        return 1;
    }
    for (int i = 0; i < 4; i++)
        around->pixels[i] = (const uint8_t *)job->source + within(top + i / 2, job->rows) * job->row_step
            + (int64_t)within(left + i % 2, job->columns) * pixel;
    return 1;
}

static inline void take_linear(const Warping *job, int32_t pixel) {
    uint8_t *to = job->target;
    Around at;
    for (int32_t y = 0; y < job->rows; y++)
        for (int32_t x = 0; x < job->columns; x++, to += pixel) {
            if (!find(job, pixel, x, y, &at)) {
                memcpy(to, job->fill, (size_t)pixel);
                continue;
            }
            for (int32_t i = 0; i < pixel; i++) {
                double first = at.pixels[0][i] + (double)(at.pixels[1][i] - at.pixels[0][i]) * at.right;
                double second = at.pixels[2][i] + (double)(at.pixels[3][i] - at.pixels[2][i]) * at.right;
                to[i] = (uint8_t)(first + (second - first) * at.below);
            }
        }
}

#if defined(HAS_AVX2)
AVX2 static inline __m256d channels(const uint8_t *from, int32_t pixel, int deep) {
    int32_t bytes;
    if (deep || pixel == 4)
        memcpy(&bytes, from, 4);
    else /* put together in a register: read back as a whole, bytes that were stored one by one would be waited for */
        bytes = from[0] | from[1] << 8 | from[2] << 16;
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes)));
}

AVX2 static inline __m256d between(__m256d one, __m256d two, __m256d share) {
    return _mm256_add_pd(one, _mm256_mul_pd(_mm256_sub_pd(two, one), share));
}

/* All channels of a pixel at once, up to four. */
AVX2 static inline void take_linear_avx2(const Warping *job, int32_t pixel) {
    const __m128i lowest = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    uint8_t *to = job->target;
    Around at;
    for (int32_t y = 0; y < job->rows; y++)
        for (int32_t x = 0; x < job->columns; x++, to += pixel) {
            if (!find(job, pixel, x, y, &at)) {
                memcpy(to, job->fill, (size_t)pixel);
                continue;
            }
            __m256d right = _mm256_set1_pd(at.right), below = _mm256_set1_pd(at.below);
            __m256d first = between(channels(at.pixels[0], pixel, at.deep), channels(at.pixels[1], pixel, at.deep), right);
            __m256d second = between(channels(at.pixels[2], pixel, at.deep), channels(at.pixels[3], pixel, at.deep), right);
            int32_t bytes = _mm_cvtsi128_si32(_mm_shuffle_epi8(_mm256_cvttpd_epi32(between(first, second, below)), lowest));
            memcpy(to, &bytes, (size_t)pixel);
        }
}

AVX2 static void take_three_avx2(const Warping *job) { take_linear_avx2(job, 3); }
AVX2 static void take_four_avx2(const Warping *job) { take_linear_avx2(job, 4); }
#endif

PUBLIC int64_t seedsafe_warp(const Warping *job) {
    if (is_refused(job)) return REFUSED;
    int nearest = job->filter == NEAREST;
#if defined(HAS_AVX2)
    if (!nearest && !job->plain && has_avx2() && (job->pixel == 3 || job->pixel == 4)) {
        job->pixel == 3 ? take_three_avx2(job) : take_four_avx2(job);
        return 0;
    }
#endif
    switch (job->pixel) {
    case 1: nearest ? take_nearest(job, 1) : take_linear(job, 1); break;
    case 3: nearest ? take_nearest(job, 3) : take_linear(job, 3); break;
    case 4: nearest ? take_nearest(job, 4) : take_linear(job, 4); break;
    case 12: nearest ? take_nearest(job, 12) : take_linear(job, 12); break; /* three floats */
    default: nearest ? take_nearest(job, job->pixel) : take_linear(job, job->pixel);
    }
    return 0;
}
