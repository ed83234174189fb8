/* The calls of the library. Python opens it by ctypes: seedsafe/kernels/__init__.py declares the same. */

#ifndef SEEDSAFE_KERNELS_H
#define SEEDSAFE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PUBLIC __declspec(dllexport)
#else
#define PUBLIC __attribute__((visibility("default")))
#endif

/* Raised with each change of a call below, so that an old library beside new Python is not used. */
#define SEEDSAFE_KERNELS 3

enum { BOX = 0, BILINEAR = 1, BICUBIC = 2, LANCZOS = 3 };
enum { INTERLEAVED = 0, PLANAR = 1 };
enum { ANY_VECTORS = 0, PLAIN = 1, OLDER_VECTORS = 2 };
enum { REFUSED = -1, NOT_COMPILED = -2 };

/* Images of one size, such as the frames of a clip, where their results go, and what is done on the way. */
typedef struct {
    const void *source;     /* the first pixel; the values of a pixel lie side by side */
    int64_t frames, frame_step; /* how many images, and the bytes from one to the next, of either sign; for floats one alone */
    int64_t row_step;       /* bytes from one row to the next, of either sign */
    int64_t pixel_step;     /* values from one pixel to the next; for bytes the number of channels */
    int32_t rows, columns;  /* of the source */
    int32_t channels;
    int32_t whole_rows, whole_columns; /* to which the source is resized, */
    int32_t top, left;                 /* and the part of that which is computed */
    int32_t new_rows, new_columns;
    int32_t filter;
    int32_t mirror_rows, mirror_columns; /* whether the result is turned upside down, or left and right */
    int32_t layout;
    int32_t plain;          /* which of the processor's vectors are left alone */
    int32_t times;          /* bytes that become floats are multiplied by this, which is exact, */
    float unit;             /* by this, */
    const float *factors;   /* and by the factor of their channel, before its offset is added; NULL leaves bytes */
    const float *offsets;
    void *target;           /* the results, without gaps */
    void *scratch;          /* memory of the caller, at an address that 64 divides */
    int64_t scratch_size;
} Resizing;

enum { NEAREST = 0, LINEAR = 1, CUBIC = 2 };

/* An image moved by an affine map, into a result of the same size. */
typedef struct {
    const void *source;   /* the first pixel; those of a row lie side by side */
    int64_t row_step;     /* bytes from one row to the next, of either sign */
    int32_t rows, columns;
    int32_t pixel;        /* bytes of a pixel; its channels, unless NEAREST */
    int32_t filter;
    int32_t plain;        /* whether the processor's vectors are left alone */
    double matrix[6];     /* (x, y) of the result comes from (0 x + 1 y + 2, 3 x + 4 y + 5); 0 is the edge of the first pixel */
    const void *fill;     /* a pixel, for what comes from outside */
    void *target;         /* the result, without gaps */
} Warping;

/* A JPEG, the window of it that is decoded, and the memory of the whole image, of which only the window is to be read. */
typedef struct {
    const void *source;     /* the whole file */
    int64_t size;           /* its bytes */
    int32_t rows, columns;  /* of the image, as its header has them */
    int32_t top, left, height, width;
    int32_t turns;          /* whether the other decoder turns the image as Exif data say; a file that it would turn is refused */
    void *target;           /* rows * columns pixels, RGB; those around the window are written or not */
} Windowing;

/* Each returns 0 when the result is written, REFUSED for what it does not do, and else the scratch memory it needs. */
PUBLIC int64_t seedsafe_resize_bytes(const Resizing *job);
PUBLIC int64_t seedsafe_resize_floats(const Resizing *job);

PUBLIC int64_t seedsafe_warp(const Warping *job);
PUBLIC int64_t seedsafe_jpeg(const Windowing *job);

PUBLIC int32_t seedsafe_kernels(void);
PUBLIC const char *seedsafe_vectors(void);

#endif
