/* two_classes.c: the built-in example: x uniform on [-2, 2]^2, y = sign(f(x) + e), f(x) = 3 (sin(2
 * x_1) - x_2).
 *
 * With e standard normal this is exactly a probit model, P(y = +1 | x) = Phi(f(x)). The best classifier is
 * sign(f). At vertical distance t from the boundary it errs with probability Phi(-3 |t|), in all for about
 * 2 int_0^inf Phi(-3 t) dt / 4 = 6.6 % of the cases (slightly fewer, because the square is bounded).
 */
#include <math.h>

#include "base/context.h"
#include "math/random.h"
#include "talweg/data.h"

static const double half_width = 2.0, steepness = 3.0, frequency = 2.0;

tw_status tw_data_two_classes(tw_context *ctx, size_t n, uint64_t seed, uint64_t part, tw_data **out)
{
    double *x = NULL, *y = NULL;
    *out = NULL;
    TW_TRY(tw_allocate_doubles(ctx, n, 2, "the inputs", &x));
    tw_status status = tw_allocate_doubles(ctx, n, 1, "the labels", &y);
    if (status == TW_OK) {
        for (size_t i = 0; i < n; i++) {
            tw_stream stream = tw_stream_at(seed, TW_STREAM_DATA, part, i);
            x[i] = half_width * (2.0 * tw_stream_uniform(&stream) - 1.0);
            x[i + n] = half_width * (2.0 * tw_stream_uniform(&stream) - 1.0);
            double f = steepness * (sin(frequency * x[i]) - x[i + n]);
            y[i] = f + tw_stream_normal(&stream) > 0.0 ? 1.0 : -1.0;
        }
        status = tw_data_new(ctx, n, 2, x, n, y, out);
    }
    tw_release(ctx, x);
    tw_release(ctx, y);
    return status;
}
