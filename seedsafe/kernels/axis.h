/* One axis of a resize: which old pixels make each new one, and their weights, as Pillow computes them. */

#ifndef SEEDSAFE_AXIS_H
#define SEEDSAFE_AXIS_H

#include "kernels.h"

#include <math.h>
#include <string.h>

/* Pillow's weights of bytes have 22 bits behind the point: 8 bits of a value and 2 for overshoot fill the rest of 32. */
enum { PRECISION = 22, HALF_PRECISION = 11 };

typedef struct {
    int32_t taps;      /* the most weights of a pixel, or room for them; 4 divides it, since vectors take two or four at a time */
    int32_t *first;    /* the first old pixel of each new one */
    int32_t *count;    /* how many follow it */
    double *centres;   /* where each new pixel lies between the old ones, */
    double *sums;      /* what its weights come to before they are divided by it, */
    double *exact;     /* and its weights: those of the first tap for all pixels, then those of the second … */
    int32_t *weights;  /* the same in PRECISION bits, for bytes */
    int8_t *digits;    /* and their three digits of 8 bits, those of four taps side by side: newer vectors add up four at a time */
} Axis;

static double sinc(double x) {
    if (x == 0.0) return 1.0;
    x *= 3.14159265358979323846;
    return sin(x) / x;
}

static double weight(int32_t filter, double x) {
    switch (filter) {
    case BOX:
        return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
    case BILINEAR:
        x = fabs(x);
        return x < 1.0 ? 1.0 - x : 0.0;
    case BICUBIC:
        x = fabs(x);
        if (x < 1.0) return ((-0.5 + 2.0) * x - (-0.5 + 3.0)) * x * x + 1;
        return x < 2.0 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0.0;
    default:
        return -3.0 <= x && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
    }
}

static const double support[] = {0.5, 1.0, 2.0, 3.0};

static int32_t taps_of(int32_t old, int32_t new, int32_t filter) {
    double scale = (double)old / new;
    int32_t taps = (int32_t)ceil(support[filter] * (scale < 1.0 ? 1.0 : scale)) * 2 + 1;
    return (taps + 3) & ~3;
}

/* The weights of each tap for all new pixels, one after another: a loop of vectors where `filter` is a constant. */
static inline void weigh(const Axis *axis, int32_t new, int32_t filter, double narrow) {
    double *exact = axis->exact;
    for (int32_t tap = 0; tap < axis->taps; tap++, exact += new)
        for (int32_t out = 0; out < new; out++) {
            double one = weight(filter, (tap + axis->first[out] - axis->centres[out] + 0.5) * narrow);
            axis->sums[out] += exact[out] = tap < axis->count[out] ? one : 0.0;
        }
}

/* Weights of PRECISION bits, and their three digits from -128 to 127, four bytes apart: first + 2**8 * second + 2**16 * third. */
static void split(const Axis *axis, int32_t new) {
    for (int32_t out = 0; out < new; out++)
        for (int32_t tap = 0; tap < axis->taps; tap++) {
            size_t at = (size_t)out * axis->taps + tap;
            int8_t *digits = axis->digits + (at / 4 * 12 + at % 4);
            double scaled = axis->exact[(size_t)tap * new + out] * (1 << PRECISION);
            int32_t number = axis->weights[at] = (int32_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
            for (int i = 0; i < 3; i++, digits += 4) {
                *digits = (int8_t)(uint8_t)number;
                number = (number - *digits) >> 8;
            }
        }
}

/* Fill an axis: `new` pixels behind the `skipped` ones of a side that is resized from `old` to `whole`. A side that stays is not filtered: Pillow leaves out its pass. */
static void fill_axis(Axis *axis, int32_t old, int32_t whole, int32_t skipped, int32_t new, int32_t filter, int bytes) {
    if (old == whole) filter = BOX;
    double scale = (double)old / whole, stretch = scale < 1.0 ? 1.0 : scale;
    double reach = support[filter] * stretch, narrow = 1.0 / stretch;
    int32_t most = 0;
    for (int32_t out = 0; out < new; out++) {
        double centre = axis->centres[out] = (out + skipped + 0.5) * scale;
        int32_t from = (int32_t)(centre - reach + 0.5), to = (int32_t)(centre + reach + 0.5);
        if (from < 0) from = 0;
        if (to > old) to = old;
        axis->first[out] = from;
        axis->count[out] = to - from;
        axis->sums[out] = 0.0;
        if (to - from > most) most = to - from;
    }
    axis->taps = (most + 3) & ~3;
    filter == BILINEAR ? weigh(axis, new, BILINEAR, narrow) : weigh(axis, new, filter, narrow);
    for (int32_t tap = 0; tap < axis->taps; tap++)
        for (int32_t out = 0; out < new; out++)
            axis->exact[(size_t)tap * new + out] /= axis->sums[out] == 0.0 ? 1.0 : axis->sums[out];
    if (bytes) split(axis, new);
}

/* Memory is dealt out of the scratch; without memory, `next` still counts what is needed. */
typedef struct {
    uint8_t *memory;
    int64_t next;
} Dealer;

static void *deal(Dealer *dealer, int64_t bytes) {
    void *part = dealer->memory ? dealer->memory + dealer->next : NULL;
    dealer->next += (bytes + 63) & ~(int64_t)63;
    return part;
}

static void deal_axis(Axis *axis, Dealer *dealer, int32_t old, int32_t whole, int32_t new, int32_t filter, int bytes) {
    int64_t taps = axis->taps = taps_of(old, whole, filter), all = taps * new;
    axis->first = deal(dealer, new * 4);
    axis->count = deal(dealer, new * 4);
    axis->centres = deal(dealer, new * 8);
    axis->sums = deal(dealer, new * 8);
    axis->exact = deal(dealer, all * 8);
    axis->weights = deal(dealer, bytes ? all * 4 : 0);
    axis->digits = deal(dealer, bytes ? all * 3 : 0);
}

/* Pillow 13 resizes the columns first where that is cheaper, and each pass rounds. */
static int rows_last(const Resizing *job) {
    int64_t narrower = 2 * ((int64_t)job->columns - job->whole_columns);
    return (int64_t)job->rows - job->whole_rows <= (narrower > 0 ? narrower : 0);
}

#endif
