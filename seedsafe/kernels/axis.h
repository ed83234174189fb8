/* One axis of a resize: which old pixels make each new one, and their weights, as Pillow computes them. */

#ifndef SEEDSAFE_AXIS_H
#define SEEDSAFE_AXIS_H

#include "kernels.h"

#include <math.h>
#include <string.h>

/* Pillow's weights of bytes have 22 bits behind the point: 8 bits of a value and 2 for overshoot fill the rest of 32. */
enum { PRECISION = 22, HALF_PRECISION = 11 };

typedef struct {
    int32_t taps;      /* room for the weights of one pixel; 4 divides it, since vectors take two or four at a time */
    int32_t *first;    /* the first old pixel of each new one */
    int32_t *count;    /* how many follow it */
    double *exact;     /* the weights, for floats */
    int32_t *weights;  /* the same in PRECISION bits, for bytes */
    int16_t *high;     /* their upper and lower halves: products of 16 bits are what vectors add up two at a time */
    int16_t *low;
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

static double support(int32_t filter) {
    static const double supports[] = {0.5, 1.0, 2.0, 3.0};
    return supports[filter];
}

static int32_t taps_of(int32_t old, int32_t new, int32_t filter) {
    double scale = (double)old / new;
    int32_t taps = (int32_t)ceil(support(filter) * (scale < 1.0 ? 1.0 : scale)) * 2 + 1;
    return (taps + 3) & ~3;
}

/* Write three digits from -128 to 127, four bytes apart: number = first + 2**8 * second + 2**16 * third. */
static void split(int32_t number, int8_t *digits) {
    for (int i = 0; i < 3; i++, digits += 4) {
        *digits = (int8_t)(uint8_t)number;
        number = (number - *digits) >> 8;
    }
}

/* Fill an axis: `new` pixels behind the `skipped` ones of a side that is resized from `old` to `whole`. A side that stays is not filtered: Pillow leaves out its pass. */
static void fill_axis(Axis *axis, int32_t old, int32_t whole, int32_t skipped, int32_t new, int32_t filter, int bytes) {
    double scale = (double)old / whole, stretch = scale < 1.0 ? 1.0 : scale;
    double reach = support(filter) * stretch, narrow = 1.0 / stretch;
    int32_t taps = axis->taps;
    for (int32_t out = 0; out < new; out++) {
        double *exact = axis->exact + (bytes ? 0 : (size_t)out * taps);
        int32_t from, count;
        if (old == whole) {
            from = out + skipped, count = 1, exact[0] = 1.0;
        } else {
            double centre = (out + skipped + 0.5) * scale, sum = 0.0;
            from = (int32_t)(centre - reach + 0.5);
            if (from < 0) from = 0;
            int32_t to = (int32_t)(centre + reach + 0.5);
            if (to > old) to = old;
            count = to - from;
            for (int32_t tap = 0; tap < count; tap++) {
                exact[tap] = weight(filter, (tap + from - centre + 0.5) * narrow);
                sum += exact[tap];
            }
            if (sum != 0.0)
                for (int32_t tap = 0; tap < count; tap++) exact[tap] /= sum;
        }
        axis->first[out] = from;
        axis->count[out] = count;
        if (!bytes) continue;
        int32_t *weights = axis->weights + (size_t)out * taps;
        int16_t *high = axis->high + (size_t)out * taps, *low = axis->low + (size_t)out * taps;
        int8_t *digits = axis->digits + (size_t)out * taps * 3;
        memset(digits, 0, (size_t)taps * 3);
        if (count % 2) high[count] = low[count] = 0;
        for (int32_t tap = 0; tap < count; tap++) {
            double scaled = exact[tap] * (1 << PRECISION);
            weights[tap] = (int32_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
            high[tap] = (int16_t)(weights[tap] >> HALF_PRECISION);
            low[tap] = (int16_t)(weights[tap] & ((1 << HALF_PRECISION) - 1));
            split(weights[tap], digits + tap / 4 * 12 + tap % 4);
        }
    }
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
    axis->exact = deal(dealer, (bytes ? taps : all) * 8);
    axis->weights = deal(dealer, bytes ? all * 4 : 0);
    axis->high = deal(dealer, bytes ? all * 2 : 0);
    axis->low = deal(dealer, bytes ? all * 2 : 0);
    axis->digits = deal(dealer, bytes ? all * 3 : 0);
}

/* Pillow 13 resizes the columns first where that is cheaper, and each pass rounds. */
static int rows_last(const Resizing *job) {
    int64_t narrower = 2 * ((int64_t)job->columns - job->whole_columns);
    return (int64_t)job->rows - job->whole_rows <= (narrower > 0 ? narrower : 0);
}

#endif
