/* Affine maps: the bytes of Pillow's Image.transform (src/libImaging/Geometry.c), all three filters.

   "nearest" adds up whole numbers of 16 bits behind the point. The others compute in binary64, each product and sum rounded by
   itself; compile without contraction (-ffp-contract=off). */

#include "kernels.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

static int is_refused(const Warping *job) {
    const int32_t most = 32766; /* a longer side does not fit into Pillow's fixed point */
    const double far = 1099511627776.0; /* 2**40: steps of 2**56, times a side, stay in 64 bits */
    if (job->rows < 1 || job->columns < 1 || job->rows > most || job->columns > most || job->pixel < 1 || job->pixel > 1 << 10
        || job->filter < NEAREST || job->filter > CUBIC || !job->source || !job->target || !job->fill)
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

#if defined(HAS_AVX2)
/* Copy pixels of three bytes by moves of four, 8 at a time, as long as another one is to come: it writes over the fourth byte. Places
   inside an image are below 2**31, so their steps may be taken in 32 bits. */
AVX2 static inline int64_t move_avx2(const uint8_t *source, int32_t step, int32_t end, const int64_t *from, const int64_t *steps, int64_t count,
                                     uint8_t *to) {
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), last = _mm256_set1_epi32(end - 1);
    __m256i right = _mm256_set1_epi32((int32_t)(uint32_t)steps[0]), below = _mm256_set1_epi32((int32_t)(uint32_t)steps[1]);
    __m256i x = _mm256_add_epi32(_mm256_set1_epi32((int32_t)(uint32_t)from[0]), _mm256_mullo_epi32(numbers, right));
    __m256i y = _mm256_add_epi32(_mm256_set1_epi32((int32_t)(uint32_t)from[1]), _mm256_mullo_epi32(numbers, below));
    int64_t done = 0;
    for (; done + 8 < count; done += 8, to += 24) {
        int32_t places[8];
        __m256i column = _mm256_srli_epi32(x, 16), row = _mm256_mullo_epi32(_mm256_srli_epi32(y, 16), _mm256_set1_epi32(step));
        __m256i all = _mm256_add_epi32(row, _mm256_add_epi32(column, _mm256_add_epi32(column, column)));
        if (_mm256_movemask_epi8(_mm256_cmpgt_epi32(all, last))) break; /* behind the last pixel nothing may be read */
        _mm256_storeu_si256((__m256i *)places, all);
        for (int i = 0; i < 8; i++) memcpy(to + 3 * i, source + places[i], 4);
        x = _mm256_add_epi32(x, _mm256_slli_epi32(right, 3)), y = _mm256_add_epi32(y, _mm256_slli_epi32(below, 3));
    }
    return done;
}
#endif

/* `pixel` is a constant where it is called, so that a copy is a move. */
static inline void take_nearest(const Warping *job, int32_t pixel, int vectors) {
    const double *m = job->matrix;
    int64_t across[3] = {fixed(m[0]), fixed(m[1]), fixed(m[2] + m[0] * 0.5 + m[1] * 0.5)};
    int64_t down[3] = {fixed(m[3]), fixed(m[4]), fixed(m[5] + m[3] * 0.5 + m[4] * 0.5)};
    int64_t step = job->row_step;
    for (int32_t y = 0; y < job->rows; y++) {
        uint8_t *row = (uint8_t *)job->target + (int64_t)y * job->columns * pixel;
        int64_t from[2] = {across[2] + across[1] * y, down[2] + down[1] * y}, first = 0, last = job->columns;
        narrow(from[0], across[0], (int64_t)job->columns << 16, &first, &last);
        narrow(from[1], down[0], (int64_t)job->rows << 16, &first, &last);
        fill(job, row, 0, first, pixel);
        fill(job, row, last, job->columns, pixel);
        int64_t x = first, steps[2] = {across[0], down[0]};
        from[0] += steps[0] * x, from[1] += steps[1] * x;
#if defined(HAS_AVX2)
        int64_t below = (job->rows - 1) * step, end = (below > 0 ? below : 0) + (job->columns - 1) * 3;
        if (vectors && below > -(1 << 30) && below < 1 << 30) {
            x += move_avx2(job->source, (int32_t)step, (int32_t)end, from, steps, last - first, row + x * pixel);
            from[0] += steps[0] * (x - first), from[1] += steps[1] * (x - first);
        }
#else
        (void)vectors;
#endif
        for (; x < last; x++, from[0] += steps[0], from[1] += steps[1])
            memcpy(row + x * pixel, (const uint8_t *)job->source + (from[1] >> 16) * step + (from[0] >> 16) * pixel, (size_t)pixel);
    }
}

static inline int32_t within(int32_t at, int32_t size) { return at < 0 ? 0 : at < size ? at : size - 1; }

/* Where a pixel of the result comes from: the pixel of the source before it, and its distance from that one. */
typedef struct {
    int32_t left, top;
    double right, below;
} Point;

static inline int find(const Warping *job, int32_t x, int32_t y, Point *point) {
    const double *m = job->matrix;
    double across = m[0] * (x + 0.5) + m[1] * (y + 0.5) + m[2], down = m[3] * (x + 0.5) + m[4] * (y + 0.5) + m[5];
    if (!(across >= 0.0 && across < job->columns && down >= 0.0 && down < job->rows)) return 0;
    across -= 0.5, down -= 0.5;
    /* Both are -0.5 or more. A cast rounds towards 0, which is up for what is negative. */
    point->left = across < 0.0 ? -1 : (int32_t)across, point->top = down < 0.0 ? -1 : (int32_t)down;
    point->right = across - point->left, point->below = down - point->top;
    return 1;
}

/* Beyond its edges the source goes on with its last pixels. */
static inline const uint8_t *pixel_at(const Warping *job, int32_t pixel, int32_t left, int32_t top) {
    return (const uint8_t *)job->source + within(top, job->rows) * job->row_step + (int64_t)within(left, job->columns) * pixel;
}

static inline double linear(double one, double two, double share) { return one + (two - one) * share; }

static inline double cubic(const double *four, double share) {
    double sum = four[1] - four[0] - four[2] + four[3];
    sum = sum * share + (2.0 * (four[0] - four[1]) + four[2] - four[3]);
    sum = sum * share + (four[2] - four[0]);
    return sum * share + four[1];
}

static inline uint8_t value_of(const Warping *job, int32_t pixel, const Point *at, int32_t channel) {
    double lines[4];
    int is_cubic = job->filter == CUBIC, first = is_cubic ? -1 : 0, taps = is_cubic ? 4 : 2;
    for (int down = 0; down < taps; down++) {
        double four[4];
        for (int across = 0; across < taps; across++)
            four[across] = pixel_at(job, pixel, at->left + first + across, at->top + first + down)[channel];
        lines[down] = is_cubic ? cubic(four, at->right) : linear(four[0], four[1], at->right);
    }
    double value = is_cubic ? cubic(lines, at->below) : linear(lines[0], lines[1], at->below);
    return value <= 0.0 ? 0 : value >= 255.0 ? 255 : (uint8_t)value;
}

static inline void interpolate(const Warping *job, int32_t pixel) {
    uint8_t *to = job->target;
    Point at;
    for (int32_t y = 0; y < job->rows; y++)
        for (int32_t x = 0; x < job->columns; x++, to += pixel)
            if (find(job, x, y, &at))
                for (int32_t channel = 0; channel < pixel; channel++) to[channel] = value_of(job, pixel, &at, channel);
            else
                memcpy(to, job->fill, (size_t)pixel);
}

#if defined(HAS_AVX2)
/* Whether 4 bytes can be read at each pixel around a point. */
static inline int is_deep(const Warping *job, const Point *at, int reach) {
    return at->left >= reach && at->left + reach + 2 < job->columns && at->top >= reach && at->top + reach + 1 < job->rows;
}

AVX2 static inline __m256d spread(int32_t bytes) {
    return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes)));
}

AVX2 static inline __m256d channels(const uint8_t *from) {
    int32_t bytes;
    memcpy(&bytes, from, 4);
    return spread(bytes);
}

/* Put together in a register: read back as a whole, bytes that were stored one by one would be waited for. */
AVX2 static inline __m256d channels_at(const Warping *job, int32_t pixel, int32_t left, int32_t top) {
    const uint8_t *from = pixel_at(job, pixel, left, top);
    return spread(from[0] | from[1] << 8 | from[2] << 16 | (int32_t)((uint32_t)(pixel == 4 ? from[3] : 0) << 24));
}

AVX2 static inline __m256d linear_avx2(__m256d one, __m256d two, __m256d share) {
    return _mm256_add_pd(one, _mm256_mul_pd(_mm256_sub_pd(two, one), share));
}

AVX2 static inline __m256d cubic_avx2(const __m256d *four, __m256d share) {
    __m256d sum = _mm256_add_pd(_mm256_sub_pd(_mm256_sub_pd(four[1], four[0]), four[2]), four[3]);
    __m256d twice = _mm256_mul_pd(_mm256_set1_pd(2.0), _mm256_sub_pd(four[0], four[1]));
    sum = _mm256_add_pd(_mm256_mul_pd(sum, share), _mm256_sub_pd(_mm256_add_pd(twice, four[2]), four[3]));
    sum = _mm256_add_pd(_mm256_mul_pd(sum, share), _mm256_sub_pd(four[2], four[0]));
    return _mm256_add_pd(_mm256_mul_pd(sum, share), four[1]);
}

/* All channels of a pixel at once, up to four. */
AVX2 static inline __m256d linear_at(const Warping *job, int32_t pixel, const Point *at) {
    __m256d four[4], right = _mm256_set1_pd(at->right);
    if (is_deep(job, at, 0)) {
        const uint8_t *upper = pixel_at(job, pixel, at->left, at->top), *lower = upper + job->row_step;
        four[0] = channels(upper), four[1] = channels(upper + pixel), four[2] = channels(lower), four[3] = channels(lower + pixel);
    } else {
        for (int i = 0; i < 4; i++) four[i] = channels_at(job, pixel, at->left + i % 2, at->top + i / 2);
    }
    return linear_avx2(linear_avx2(four[0], four[1], right), linear_avx2(four[2], four[3], right), _mm256_set1_pd(at->below));
}

AVX2 static inline __m256d cubic_at(const Warping *job, int32_t pixel, const Point *at) {
    __m256d lines[4], four[4];
    int deep = is_deep(job, at, 1);
    const uint8_t *line = pixel_at(job, pixel, at->left - 1, at->top - 1);
    for (int down = 0; down < 4; down++, line += deep ? job->row_step : 0) {
        for (int across = 0; across < 4; across++)
            four[across] = deep ? channels(line + across * pixel)
                                : channels_at(job, pixel, at->left - 1 + across, at->top - 1 + down);
        lines[down] = cubic_avx2(four, _mm256_set1_pd(at->right));
    }
    return cubic_avx2(lines, _mm256_set1_pd(at->below));
}

AVX2 static inline void interpolate_avx2(const Warping *job, int32_t pixel, int is_cubic) {
    const __m128i lowest = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    uint8_t *to = job->target;
    Point at;
    for (int32_t y = 0; y < job->rows; y++)
        for (int32_t x = 0; x < job->columns; x++, to += pixel) {
            if (!find(job, x, y, &at)) {
                memcpy(to, job->fill, (size_t)pixel);
                continue;
            }
            __m256d values = is_cubic ? cubic_at(job, pixel, &at) : linear_at(job, pixel, &at);
            values = _mm256_min_pd(_mm256_max_pd(values, _mm256_setzero_pd()), _mm256_set1_pd(255.0));
            int32_t bytes = _mm_cvtsi128_si32(_mm_shuffle_epi8(_mm256_cvttpd_epi32(values), lowest));
            memcpy(to, &bytes, (size_t)pixel);
        }
}

/* Constants where they are called, as above. */
AVX2 static void interpolate_at_once(const Warping *job) {
    if (job->filter == LINEAR)
        job->pixel == 3 ? interpolate_avx2(job, 3, 0) : interpolate_avx2(job, 4, 0);
    else
        job->pixel == 3 ? interpolate_avx2(job, 3, 1) : interpolate_avx2(job, 4, 1);
}
#endif

static inline void warp(const Warping *job, int32_t pixel) {
    job->filter == NEAREST ? take_nearest(job, pixel, 0) : interpolate(job, pixel);
}

#if defined(HAS_AVX2)
AVX2 static void take_nearest_avx2(const Warping *job) { take_nearest(job, 3, 1); }
#endif

PUBLIC int64_t seedsafe_warp(const Warping *job) {
    if (is_refused(job)) return REFUSED;
#if defined(HAS_AVX2)
    if (job->filter != NEAREST && !job->plain && has_avx2() && (job->pixel == 3 || job->pixel == 4)) {
        interpolate_at_once(job);
        return 0;
    }
#endif
#if defined(HAS_AVX2)
    if (job->filter == NEAREST && !job->plain && has_avx2() && job->pixel == 3) {
        take_nearest_avx2(job);
        return 0;
    }
#endif
    switch (job->pixel) {
    case 1: warp(job, 1); break;
    case 3: warp(job, 3); break;
    case 4: warp(job, 4); break;
    case 12: warp(job, 12); break; /* three floats */
    default: warp(job, job->pixel);
    }
    return 0;
}
