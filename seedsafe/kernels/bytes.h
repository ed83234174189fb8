/* The resize of bytes for one kind of processor. resize.c includes it once for each, with these names:

   NAME(x)                       x, marked with the kind
   TARGET                        what a function needs to use its vectors
   Bytes                         16 bytes
   LOAD(p), STORE(p, bytes)
   SUM(p, step, axis, out)       16 new values: the weighted sum of 16 bytes each at p, p + step, p + 2 step …
   SUM_MORE(to, p, …)            the same for MORE bytes, a multiple of 16
   TURN(from, step, to, step)    16 rows of 16 bytes become columns
   PICK(bytes, places)           the bytes at 16 places, 0 for a place of 128 or more
   JOIN(bytes, bytes)            the bits of both
   SPREAD(to, bytes, job, a, b)  16 floats: value * times * unit * a[i] + b[i], rounded after each operation
   NARROW(plan, job, …)          0, or new columns computed in another way, if it can
   ARRANGE(plan, job, …)         0, or a row arranged in another way

   The rows of the source are turned on their side, 16 at a time. Then one vector holds the same value of 16 rows, every one
   of which has the same weights, and no sum has to be made across a vector. */

#if !defined(NARROW)
#define NARROW(...) 0
#define ARRANGE(...) 0
#endif
#if !defined(TILE)
#define TILE 16

/* How many channels are picked apart by vectors. */
enum { PICKED = 4 };

/* What NARROW keeps of 16 values: their places in 64 bytes and where these begin; and the digits of each four taps. */
enum { HEAD = 128, DIGITS = 3 * 64 };

/* Where everything lies while one image is resized. A side that stays as it is has no axis. */
typedef struct {
    Axis across, down;
    int is_narrowed, is_shortened, rows_last;
    int64_t wide;       /* bytes of a row of the source */
    int64_t line;       /* bytes of a row of results, and room after them */
    uint8_t *shorter;   /* the source with its new rows, where these are made first */
    int64_t short_step;
    uint8_t *tile;      /* 16 rows of the source on their side */
    uint8_t *sums;      /* the new values of these rows, on their side */
    uint8_t *narrow;    /* all rows with their new columns */
    uint8_t *groups;    /* what NARROW keeps of the columns */
    uint8_t *row;       /* a row of results, */
    uint8_t *picked;    /* and in their layout */
    uint8_t *places;    /* from where its channels are picked, 16 pixels at a time, for each two vectors */
    uint8_t *order;     /* and `ordered` pixels at once: as many as 64 bytes hold, or 16 whose channels come one after another */
    int64_t ordered;
    float *factors;     /* a factor for each value of a row of results */
    float *offsets;
} Plan;

static int64_t lay_out(Plan *plan, const Resizing *job) {
    Dealer dealer = {job->scratch, 0};
    int64_t values = (int64_t)job->new_columns * job->channels;
    plan->is_narrowed = job->columns != job->whole_columns, plan->is_shortened = job->rows != job->whole_rows;
    plan->rows_last = rows_last(job);
    plan->wide = (int64_t)job->columns * job->channels;
    plan->line = (values + 127) & ~(int64_t)63;
    plan->short_step = (plan->wide + 63) & ~(int64_t)63;
    int64_t rows = plan->rows_last ? job->rows : job->new_rows;
    if (plan->is_narrowed) {
        deal_axis(&plan->across, &dealer, job->columns, job->whole_columns, job->new_columns, job->filter, 1);
        plan->tile = deal(&dealer, (plan->wide + TILE) * TILE);
        plan->sums = deal(&dealer, plan->line * TILE);
        plan->narrow = deal(&dealer, plan->line * (rows + TILE));
        plan->groups = deal(&dealer, plan->line / TILE * (HEAD + plan->across.taps / 4 * DIGITS));
    }
    if (plan->is_shortened) {
        deal_axis(&plan->down, &dealer, job->rows, job->whole_rows, job->new_rows, job->filter, 1);
        plan->shorter = deal(&dealer, plan->rows_last ? 0 : plan->short_step * job->new_rows);
        plan->row = deal(&dealer, plan->line);
    }
    plan->picked = deal(&dealer, plan->line);
    plan->places = deal(&dealer, PICKED * PICKED * TILE);
    plan->ordered = job->layout == PLANAR && job->channels > 1 ? TILE : PICKED * TILE / job->channels;
    plan->order = deal(&dealer, PICKED * TILE);
    plan->factors = deal(&dealer, job->factors ? plan->line * 4 : 0);
    plan->offsets = deal(&dealer, job->factors ? plan->line * 4 : 0);
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

/* Where the value at a place of a row of results lies in a row of interleaved values. */
static int64_t source_of(const Resizing *job, int64_t place, int mirror) {
    int64_t columns = job->new_columns, channels = job->channels;
    int64_t column = job->layout == PLANAR ? place % columns : place / channels;
    int64_t channel = job->layout == PLANAR ? place / columns : place % channels;
    return (mirror ? columns - 1 - column : column) * channels + channel;
}

static void fill_factors(const Plan *plan, const Resizing *job) {
    int64_t columns = job->new_columns, channels = job->channels, planar = job->layout == PLANAR;
    for (int64_t channel = 0; channel < channels; channel++)
        for (int64_t column = 0; column < columns; column++) {
            int64_t place = planar ? channel * columns + column : column * channels + channel;
            plan->factors[place] = job->factors[channel];
            plan->offsets[place] = job->offsets[channel];
        }
}

/* For each 16 values of a layout and 16 interleaved bytes: which of these become which of those, in blocks of 16 pixels; and for 64 bytes at once. */
static void fill_places(const Plan *plan, const Resizing *job, int mirror) {
    Resizing block = *job;
    block.new_columns = (int32_t)plan->ordered;
    for (int32_t place = 0; place < job->channels * block.new_columns; place++)
        plan->order[place] = (uint8_t)source_of(&block, place, mirror);
    block.new_columns = TILE;
    for (int32_t place = 0; place < job->channels * TILE; place++) {
        int64_t from = source_of(&block, place, mirror);
        for (int32_t part = 0; part < job->channels; part++) {
            uint8_t *to = plan->places + (place / TILE * job->channels + part) * TILE + place % TILE;
            *to = from / TILE == part ? (uint8_t)(from % TILE) : 128;
        }
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
    memset(plan->sums, 0, (size_t)plan->line * TILE); /* what is behind the last value of a line is turned, too */
    for (int64_t y = 0; y < count; y += TILE) {
        int64_t top = y + TILE <= count ? y : count < TILE ? 0 : count - TILE;
        NAME(turn_in)(rows + top * step, step, count < TILE ? count : TILE, plan->wide, plan->tile);
        for (int32_t out = 0; out < job->new_columns; out++) {
            int64_t to = job->mirror_columns ? job->new_columns - 1 - out : out;
            const uint8_t *from = plan->tile + (int64_t)plan->across.first[out] * channels * TILE;
            for (int32_t channel = 0; channel < channels; channel++)
                STORE(plan->sums + (to * channels + channel) * TILE, SUM(from + channel * TILE, channels * TILE, &plan->across, out));
        }
        for (int64_t x = 0; x < plan->line - 64; x += TILE)
            TURN(plan->sums + x * TILE, TILE, plan->narrow + top * plan->line + x, plan->line);
    }
}

/* The new values of a row. */
TARGET static void NAME(sum_row)(const uint8_t *from, ptrdiff_t step, const Axis *axis, int32_t out, uint8_t *to, int64_t count) {
    int64_t x = 0;
    for (; x + MORE <= count; x += MORE) SUM_MORE(to + x, from + x, step, axis, out);
    for (; x + TILE <= count; x += TILE) STORE(to + x, SUM(from + x, step, axis, out));
    if (x < count && count >= TILE) STORE(to + count - TILE, SUM(from + count - TILE, step, axis, out)), x = count;
    for (; x < count; x++) to[x] = sum_one(from + x, step, axis, out);
}

/* `channels` is a constant where it is called, so that all places stay in registers. */
TARGET static inline void NAME(arrange_of)(const Plan *plan, const Resizing *job, const uint8_t *row, int mirror, int64_t channels,
                                           uint8_t *result) {
    int64_t columns = job->new_columns, planar = job->layout == PLANAR;
    Bytes places[PICKED * PICKED];
    for (int64_t i = 0; i < channels * channels; i++) places[i] = LOAD(plan->places + i * TILE);
    for (int64_t x = 0; x < columns; x += TILE) {
        int64_t at = x + TILE <= columns ? x : columns - TILE, to = mirror ? columns - TILE - at : at;
        Bytes parts[PICKED];
        for (int64_t from = 0; from < channels; from++) parts[from] = LOAD(row + at * channels + from * TILE);
        for (int64_t part = 0; part < channels; part++) {
            Bytes picked = PICK(parts[0], places[part * channels]);
            for (int64_t from = 1; from < channels; from++) picked = JOIN(picked, PICK(parts[from], places[part * channels + from]));
            STORE(result + (planar ? part * columns + to : to * channels + part * TILE), picked);
        }
    }
}

/* A row in its layout: mirrored, with its channels one after another. */
TARGET static void NAME(arrange)(const Plan *plan, const Resizing *job, const uint8_t *row, int mirror, uint8_t *result) {
    int64_t values = (int64_t)job->new_columns * job->channels;
    if (job->new_columns < TILE || job->channels > PICKED)
        for (int64_t place = 0; place < values; place++) result[place] = row[source_of(job, place, mirror)];
    else if (!ARRANGE(plan, job, row, mirror, result))
        job->channels == 3 ? NAME(arrange_of)(plan, job, row, mirror, 3, result)
                           : NAME(arrange_of)(plan, job, row, mirror, job->channels, result);
}

TARGET static void NAME(write_floats)(const Plan *plan, const Resizing *job, const uint8_t *row, int64_t first, int64_t count,
                                     float *target) {
    const float *factors = plan->factors + first, *offsets = plan->offsets + first;
    float part[TILE];
    uint8_t last[TILE] = {0};
    int64_t x = 0;
    for (; x + TILE <= count; x += TILE) SPREAD(target + x, LOAD(row + x), job, factors + x, offsets + x);
    if (x < count) {
        memcpy(last, row + x, (size_t)(count - x));
        SPREAD(part, LOAD(last), job, factors + x, offsets + x);
        memcpy(target + x, part, (size_t)(count - x) * 4);
    }
}

/* The results of one image. */
TARGET static void NAME(resize_one)(const Plan *plan, const Resizing *job, const uint8_t *rows, uint8_t *target) {
    int64_t step = job->row_step, columns = job->new_columns, values = columns * job->channels;
    int mirror = job->mirror_columns && !plan->is_narrowed, picks = mirror || (job->layout == PLANAR && job->channels > 1);
    int rows_last = plan->is_shortened && plan->rows_last;
    if (plan->is_shortened && !rows_last) {
        for (int32_t out = 0; out < job->new_rows; out++)
            NAME(sum_row)(rows + plan->down.first[out] * step, step, &plan->down, out, plan->shorter + out * plan->short_step, plan->wide);
        rows = plan->shorter, step = plan->short_step;
    }
    if (plan->is_narrowed) {
        int64_t count = rows_last ? job->rows : job->new_rows;
        if (!NARROW(plan, job, rows, step, count)) NAME(narrow)(plan, job, rows, step, count);
        rows = plan->narrow, step = plan->line;
    }
    int64_t lines = job->layout == PLANAR ? job->channels : 1, line = values / lines, size = job->factors ? 4 : 1;
    int in_place = lines == 1 && size == 1;
    for (int32_t out = 0; out < job->new_rows; out++) {
        const uint8_t *row = rows + out * step;
        int64_t to = job->mirror_rows ? job->new_rows - 1 - out : out;
        uint8_t *place = target + to * line * size;
        if (rows_last) {
            uint8_t *sums = in_place && !picks ? place : plan->row;
            NAME(sum_row)(rows + plan->down.first[out] * step, step, &plan->down, out, sums, values);
            row = sums;
        }
        if (picks) {
            uint8_t *picked = in_place ? place : plan->picked;
            NAME(arrange)(plan, job, row, mirror, picked);
            row = picked;
        }
        for (int64_t i = 0; i < lines; i++, row += line, place += job->new_rows * line * size)
            if (job->factors)
                NAME(write_floats)(plan, job, row, i * line, line, (float *)place);
            else if (row != place)
                memcpy(place, row, (size_t)line);
    }
}

TARGET static int64_t NAME(resize)(const Resizing *job) {
    Plan plan = {0};
    int64_t needed = lay_out(&plan, job), size = (int64_t)job->new_rows * job->new_columns * job->channels * (job->factors ? 4 : 1);
    if (!job->scratch || needed > job->scratch_size) return needed;
    if (plan.is_narrowed) fill_axis(&plan.across, job->columns, job->whole_columns, job->left, job->new_columns, job->filter, 1);
    if (plan.is_shortened) fill_axis(&plan.down, job->rows, job->whole_rows, job->top, job->new_rows, job->filter, 1);
    if (job->factors) fill_factors(&plan, job);
    if (job->channels <= PICKED) fill_places(&plan, job, job->mirror_columns && !plan.is_narrowed);
    for (int64_t frame = 0; frame < job->frames; frame++)
        NAME(resize_one)(&plan, job, (const uint8_t *)job->source + frame * job->frame_step, (uint8_t *)job->target + frame * size);
    return 0;
}

#undef NAME
#undef TARGET
#undef Bytes
#undef LOAD
#undef STORE
#undef SUM
#undef MORE
#undef SUM_MORE
#undef TURN
#undef PICK
#undef JOIN
#undef SPREAD
#undef NARROW
#undef ARRANGE
