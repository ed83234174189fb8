/* The resize of bytes for one kind of processor. resize.c includes it once for each, with these names:

   NAME(x)                       x, marked with the kind
   TARGET                        what a function needs to use its vectors
   Bytes                         16 bytes
   LOAD(p), STORE(p, bytes)
   SUM(p, step, axis, out)       16 new values: the weighted sum of 16 bytes each at p, p + step, p + 2 step …
   TURN(from, step, to, step)    16 rows of 16 bytes become columns
   SPREAD(to, bytes, job, a, b)  16 floats: value * times * unit * a[i] + b[i], rounded after each operation

   The rows of the source are turned on their side, 16 at a time. Then one vector holds the same value of 16 rows, every one
   of which has the same weights, and no sum has to be made across a vector. */

#if !defined(TILE)
#define TILE 16

/* Where everything lies while one image is resized. */
typedef struct {
    Axis across, down;
    int64_t wide;       /* bytes of a row of the source */
    int64_t line;       /* bytes of a row of results: all channels side by side, or one of them; 16 divides it */
    int64_t lines;      /* such rows for each row of results: 1, or one for each channel */
    uint8_t *shorter;   /* the source with its new rows, where these are made first */
    int64_t short_step;
    uint8_t *tile;      /* 16 rows of the source on their side */
    uint8_t *sums;      /* the new values of these rows, on their side */
    uint8_t *narrow;    /* all rows with their new columns */
    int64_t tall;       /* the rows of each channel in `narrow` */
    float *factors;     /* a factor for each value of a row of results */
    float *offsets;
} Plan;

static int64_t lay_out(Plan *plan, const Resizing *job) {
    Dealer dealer = {job->scratch, 0};
    int last = rows_last(job), planar = job->layout == PLANAR;
    plan->wide = (int64_t)job->columns * job->channels;
    plan->lines = planar ? job->channels : 1;
    plan->line = ((planar ? job->new_columns : (int64_t)job->new_columns * job->channels) + TILE - 1) / TILE * TILE;
    plan->tall = (last ? job->rows : job->new_rows) + TILE;
    deal_axis(&plan->across, &dealer, job->columns, job->whole_columns, job->new_columns, job->filter, 1);
    deal_axis(&plan->down, &dealer, job->rows, job->whole_rows, job->new_rows, job->filter, 1);
    plan->short_step = (plan->wide + 63) & ~(int64_t)63;
    plan->shorter = deal(&dealer, last ? 0 : plan->short_step * job->new_rows);
    plan->tile = deal(&dealer, (plan->wide + TILE) * TILE);
    plan->sums = deal(&dealer, plan->line * plan->lines * TILE);
    plan->narrow = deal(&dealer, plan->line * plan->lines * plan->tall);
    plan->factors = deal(&dealer, job->factors ? plan->line * plan->lines * 4 : 0);
    plan->offsets = deal(&dealer, job->factors ? plan->line * plan->lines * 4 : 0);
    return dealer.next;
}

/* One value at a time, for edges where 16 do not fit. */
static uint8_t sum_one(const uint8_t *values, ptrdiff_t step, const Axis *axis, int32_t out) {
    const int32_t *weights = axis->weights + (size_t)out * axis->taps;
    uint32_t sum = 1u << (PRECISION - 1); /* unsigned, since a sum may wrap round before it comes back */
    for (int32_t tap = 0; tap < axis->count[out]; tap++) sum += values[tap * step] * (uint32_t)weights[tap];
    int32_t value = (int32_t)sum >> PRECISION;
    return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

static void fill_factors(const Plan *plan, const Resizing *job) {
    for (int64_t line = 0; line < plan->lines; line++)
        for (int64_t i = 0; i < plan->line; i++) {
            int64_t channel = job->layout == PLANAR ? line : i % job->channels;
            plan->factors[line * plan->line + i] = job->factors[channel];
            plan->offsets[line * plan->line + i] = job->offsets[channel];
        }
}
#endif

TARGET static void NAME(turn_in)(const uint8_t *rows, ptrdiff_t step, int64_t count, int64_t wide, uint8_t *tile) {
    int64_t x = 0;
    if (count == TILE && wide >= TILE)
        for (; x < wide; x += TILE) {
            int64_t at = x + TILE <= wide ? x : wide - TILE;
            TURN(rows + at, step, tile + at * TILE, TILE);
        }
    for (; x < wide; x++)
        for (int64_t y = 0; y < TILE; y++) tile[x * TILE + y] = y < count ? rows[y * step + x] : 0;
}

/* The new columns of all these rows, in plan->narrow. */
TARGET static void NAME(narrow)(const Plan *plan, const Resizing *job, const uint8_t *rows, ptrdiff_t step, int64_t count) {
    int32_t channels = job->channels;
    int64_t all = plan->line * plan->lines;
    memset(plan->sums, 0, (size_t)all * TILE); /* what is behind the last value of a line is turned, too */
    for (int64_t y = 0; y < count; y += TILE) {
        int64_t top = y + TILE <= count ? y : count < TILE ? 0 : count - TILE;
        NAME(turn_in)(rows + top * step, step, count < TILE ? count : TILE, plan->wide, plan->tile);
        for (int32_t out = 0; out < job->new_columns; out++) {
            int64_t to = job->mirror_columns ? job->new_columns - 1 - out : out;
            const uint8_t *from = plan->tile + (int64_t)plan->across.first[out] * channels * TILE;
            for (int32_t channel = 0; channel < channels; channel++) {
                int64_t at = job->layout == PLANAR ? channel * plan->line + to : to * channels + channel;
                STORE(plan->sums + at * TILE, SUM(from + channel * TILE, channels * TILE, &plan->across, out));
            }
        }
        for (int64_t line = 0; line < plan->lines; line++)
            for (int64_t x = 0; x < plan->line; x += TILE)
                TURN(plan->sums + (line * plan->line + x) * TILE, TILE,
                     plan->narrow + (line * plan->tall + top) * plan->line + x, plan->line);
    }
}

/* The new rows of the source. */
TARGET static void NAME(shorten)(const Plan *plan, const Resizing *job) {
    for (int32_t out = 0; out < job->new_rows; out++) {
        const uint8_t *from = (const uint8_t *)job->source + plan->down.first[out] * job->row_step;
        uint8_t *to = plan->shorter + out * plan->short_step;
        int64_t x = 0;
        for (; x + TILE <= plan->wide; x += TILE) STORE(to + x, SUM(from + x, job->row_step, &plan->down, out));
        for (; x < plan->wide; x++) to[x] = sum_one(from + x, job->row_step, &plan->down, out);
    }
}

/* Write 16 values, or as many as are left of a row. */
TARGET static void NAME(write)(Bytes values, uint8_t *target, int64_t left) {
    uint8_t part[TILE];
    if (left >= TILE) {
        STORE(target, values);
    } else {
        STORE(part, values);
        memcpy(target, part, (size_t)left);
    }
}

TARGET static void NAME(write_floats)(Bytes values, float *target, int64_t left, const Resizing *job, const float *factors,
                                     const float *offsets) {
    float part[TILE];
    if (left >= TILE) {
        SPREAD(target, values, job, factors, offsets);
    } else {
        SPREAD(part, values, job, factors, offsets);
        memcpy(target, part, (size_t)left * 4);
    }
}

TARGET static int64_t NAME(resize)(const Resizing *job) {
    Plan plan;
    int64_t needed = lay_out(&plan, job);
    if (!job->scratch || needed > job->scratch_size) return needed;
    int last = rows_last(job);
    fill_axis(&plan.across, job->columns, job->whole_columns, job->left, job->new_columns, job->filter, 1);
    fill_axis(&plan.down, job->rows, job->whole_rows, job->top, job->new_rows, job->filter, 1);
    if (job->factors) fill_factors(&plan, job);
    if (last) {
        NAME(narrow)(&plan, job, job->source, job->row_step, job->rows);
    } else {
        NAME(shorten)(&plan, job);
        NAME(narrow)(&plan, job, plan.shorter, plan.short_step, job->new_rows);
    }
    int64_t values = job->layout == PLANAR ? job->new_columns : (int64_t)job->new_columns * job->channels;
    for (int64_t line = 0; line < plan.lines; line++)
        for (int32_t out = 0; out < job->new_rows; out++) {
            int64_t row = line * job->new_rows + (job->mirror_rows ? job->new_rows - 1 - out : out);
            const uint8_t *from = plan.narrow + (line * plan.tall + (last ? plan.down.first[out] : out)) * plan.line;
            for (int64_t x = 0; x < values; x += TILE) {
                Bytes sums = last ? SUM(from + x, plan.line, &plan.down, out) : LOAD(from + x);
                if (job->factors)
                    NAME(write_floats)(sums, (float *)job->target + row * values + x, values - x, job,
                                       plan.factors + line * plan.line + x, plan.offsets + line * plan.line + x);
                else
                    NAME(write)(sums, (uint8_t *)job->target + row * values + x, values - x);
            }
        }
    return 0;
}

#undef NAME
#undef TARGET
#undef Bytes
#undef LOAD
#undef STORE
#undef SUM
#undef TURN
#undef SPREAD
