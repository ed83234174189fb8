/* A window of a JPEG, with the bytes of the whole: rows above it are passed over, and nothing is read below it.

   libjpeg-turbo does the work, if its headers were there: SEEDSAFE_JPEG is defined then. What it would warn of, and every kind of file
   whose pixels another decoder may see in another way, is refused. */

#include "kernels.h"

#if defined(SEEDSAFE_JPEG)
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#if !defined(LIBJPEG_TURBO_VERSION_NUMBER)
#error "plain libjpeg has no jpeg_crop_scanline"
#endif

/* Pixels decoded around the window: colours of half the size are interpolated, and at the edge of what is decoded from too few. */
enum { MARGIN = 16 };

enum { MOST_PIXELS = 1 << 30 };

typedef struct {
    struct jpeg_error_mgr manager; /* first: libjpeg has its address alone */
    jmp_buf way_out;
} Errors;

static void leave(j_common_ptr file) { longjmp(((Errors *)file->err)->way_out, 1); }

static void refuse_warnings(j_common_ptr file, int level) {
    if (level < 0) leave(file);
}

static void say_nothing(j_common_ptr file) { (void)file; }

static uint32_t number(const uint8_t *from, int bytes, int little) {
    uint32_t result = 0;
    for (int i = 0; i < bytes; i++) result = result << 8 | from[little ? bytes - 1 - i : i];
    return result;
}

/* Whether Exif data say for certain that the image stands upright: a first directory that is whole, and no other orientation in it. */
static int is_upright(const uint8_t *exif, uint32_t size) {
    if (size < 8 || (memcmp(exif, "II", 2) && memcmp(exif, "MM", 2))) return 0;
    int little = exif[0] == 'I';
    uint32_t at = number(exif + 4, 4, little);
    if (number(exif + 2, 2, little) != 42 || at > size - 2 || size < 10) return 0;
    uint32_t entries = number(exif + at, 2, little);
    if (entries * 12 > size - 2 - at) return 0;
    for (const uint8_t *entry = exif + at + 2; entries > 0; entries--, entry += 12)
        if (number(entry, 2, little) == 0x112 && (number(entry + 2, 2, little) != 3 || number(entry + 8, 2, little) != 1)) return 0;
    return 1;
}

static int stands_upright(const struct jpeg_decompress_struct *file) {
    for (jpeg_saved_marker_ptr marker = file->marker_list; marker; marker = marker->next)
        if (marker->data_length >= 6 && !memcmp(marker->data, "Exif\0", 6)
            && !is_upright(marker->data + 6, marker->data_length - 6)) return 0;
    return 1;
}

static int is_usual(struct jpeg_decompress_struct *file, const Windowing *job) {
    int is_grey = file->num_components == 1 && file->jpeg_color_space == JCS_GRAYSCALE;
    int has_colours = file->num_components == 3 && file->jpeg_color_space == JCS_YCbCr;
    return (is_grey || has_colours) && !file->progressive_mode && !file->arith_code && !jpeg_has_multiple_scans(file)
        && file->image_height == (JDIMENSION)job->rows && file->image_width == (JDIMENSION)job->columns
        && (job->turns == 0 || stands_upright(file));
}

static void decode(struct jpeg_decompress_struct *file, const Windowing *job) {
    int32_t left = job->left > MARGIN ? job->left - MARGIN : 0, top = job->top > MARGIN ? job->top - MARGIN : 0;
    int32_t right = job->columns - job->left - job->width > MARGIN ? job->left + job->width + MARGIN : job->columns;
    file->out_color_space = JCS_RGB;
    jpeg_start_decompress(file);
    JDIMENSION first = (JDIMENSION)left, wide = (JDIMENSION)(right - left);
    if (right - left < job->columns) jpeg_crop_scanline(file, &first, &wide);
    if (top) jpeg_skip_scanlines(file, (JDIMENSION)top);
    while (file->output_scanline < (JDIMENSION)(job->top + job->height)) {
        JSAMPROW row = (JSAMPROW)job->target + ((size_t)file->output_scanline * (size_t)job->columns + first) * 3;
        if (jpeg_read_scanlines(file, &row, 1) != 1) leave((j_common_ptr)file);
    }
}

PUBLIC int64_t seedsafe_jpeg(const Windowing *job) {
    if (job->rows < 1 || job->columns < 1 || job->height < 1 || job->width < 1 || job->top < 0 || job->left < 0
        || job->top > job->rows - job->height || job->left > job->columns - job->width || !job->source || !job->target
        || job->size < 4 || job->size > INT32_MAX || (int64_t)job->rows * job->columns > MOST_PIXELS) return REFUSED;
    struct jpeg_decompress_struct file;
    Errors errors;
    memset(&file, 0, sizeof file); /* so that it can be destroyed before it is made */
    file.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = leave;
    errors.manager.emit_message = refuse_warnings;
    errors.manager.output_message = say_nothing;
    volatile int64_t result = REFUSED;
    if (!setjmp(errors.way_out)) {
        jpeg_create_decompress(&file);
        jpeg_save_markers(&file, JPEG_APP0 + 1, 0xFFFF);
        jpeg_mem_src(&file, (unsigned char *)job->source, (unsigned long)job->size);
        jpeg_read_header(&file, TRUE);
        if (is_usual(&file, job)) {
            decode(&file, job);
            result = 0;
        }
    }
    jpeg_destroy_decompress(&file);
    return result;
}

#else
PUBLIC int64_t seedsafe_jpeg(const Windowing *job) {
    (void)job;
    return NOT_COMPILED;
}
#endif
