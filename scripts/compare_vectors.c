/* Calls the kernels at random, with the processor's vectors and in plain C, and prints a digest of all results. COUNT

   The digest is the same on every processor: scripts/test_neon.sh compares x86-64 and, emulated, aarch64. */

#include "../seedsafe/kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 70 };

static uint64_t state = 88172645463325252u;

static uint32_t below(uint32_t limit) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)((state >> 32) * limit >> 32);
}

static uint8_t bytes[2 * MOST * MOST * 5];
static float floats[MOST * MOST * 5], factors[5], offsets[5];
static uint8_t results[3][2 * MOST * MOST * 5 * 4];
static uint64_t digest = 14695981039346656037u;

static void add(const uint8_t *result, size_t size) {
    for (size_t i = 0; i < size; i++) digest = (digest ^ result[i]) * 1099511628211u;
}

static size_t resize(int plain, int32_t height, int32_t width, int is_float, Resizing job) {
    job.plain = plain;
    job.target = results[plain];
    int64_t (*call)(const Resizing *) = is_float ? seedsafe_resize_floats : seedsafe_resize_bytes;
    int64_t needed = call(&job);
    if (needed <= 0) exit(3);
    job.scratch = aligned_alloc(64, (size_t)needed);
    job.scratch_size = needed;
    if (call(&job)) exit(4);
    free(job.scratch);
    return (size_t)job.frames * height * width * job.channels * (is_float || job.factors ? 4 : 1);
}

int main(int count, char **arguments) {
    int calls = count > 1 ? atoi(arguments[1]) : 1000;
    for (int number = 0; number < calls; number++) {
        int32_t rows = 1 + below(MOST), columns = 1 + below(MOST), height = 1 + below(MOST), width = 1 + below(MOST), channels = 1 + below(5);
        if (below(4) == 0) height = rows; /* a side that stays as it is */
        if (below(4) == 0) width = columns;
        int extreme = below(2), is_float = below(4) == 0;
        for (int i = 0; i < rows * columns * channels; i++) {
            bytes[i] = extreme ? (below(2) ? 255 : 0) : (uint8_t)below(256);
            bytes[rows * columns * channels + i] = (uint8_t)below(256);
            floats[i] = bytes[i] * 0.37f - 20;
        }
        for (int i = 0; i < 5; i++) factors[i] = below(1000) * 0.013f, offsets[i] = below(1000) * 0.1f - 50;
        size_t size;
        if (below(3)) {
            int normalised = !is_float && below(2), unit = below(2);
            Resizing job = {
                .source = is_float ? (void *)floats : bytes, .frames = is_float ? 1 : 1 + below(2),
                .frame_step = (int64_t)rows * columns * channels, .row_step = (int64_t)columns * channels * (is_float ? 4 : 1), .pixel_step = channels,
                .rows = rows, .columns = columns, .channels = channels, .whole_rows = height + (height == rows ? 0 : below(3)),
                .whole_columns = width + (width == columns ? 0 : below(3)),
                .new_rows = height, .new_columns = width, .filter = below(4), .mirror_rows = !is_float && below(2),
                .mirror_columns = !is_float && below(2), .layout = !is_float && below(2), .times = unit ? 3 : 1,
                .unit = unit ? (float)(1.0 / 765) : 1.0f, .factors = normalised ? factors : NULL, .offsets = normalised ? offsets : NULL,
            };
            for (int plain = 0; plain < 3; plain++) size = resize(plain, height, width, is_float, job);
        } else {
            Warping job = {.source = bytes, .row_step = (int64_t)columns * channels, .rows = rows, .columns = columns, .pixel = channels, .filter = below(3), .fill = factors};
            for (int i = 0; i < 6; i++) job.matrix[i] = ((int32_t)below(4000) - 2000) / 1024.0 * (i % 3 == 2 ? 20 : 1);
            for (job.plain = 0; job.plain < 3; job.plain++) {
                job.target = results[job.plain];
                if (seedsafe_warp(&job)) return 5;
            }
            size = (size_t)rows * columns * channels;
        }
        if (memcmp(results[0], results[1], size) || memcmp(results[0], results[2], size)) {
            fprintf(stderr, "call %d differs from plain C\n", number);
            return 1;
        }
        add(results[0], size);
    }
    fprintf(stderr, "%d calls with %s have the bits of plain C\n", calls, seedsafe_vectors());
    printf("%016llx\n", (unsigned long long)digest);
    return 0;
}
