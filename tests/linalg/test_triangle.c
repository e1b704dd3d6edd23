/* Products with a packed triangle. The matrices hold small integers, whose products are exact in both
 * precisions, so every number must equal the sum that defines it. The sizes are around those of panels, of
 * vectors and of the parts of long panels. */
#include <stdlib.h>
#include <string.h>

#include "linalg/triangle.h"
#include "support/problem.h"
#include "support/support.h"

enum { MOST_COLUMNS = 9 };

static const size_t sizes[] = {1, 2, 15, 16, 17, 23, 24, 25, 47, 48, 49, 72, 97, 200, 2049};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* In place there is no product with L', and none in single precision. */
typedef struct form {
    bool packed, single, transposed;
} form;
static const form forms[] = {{.packed = false},
                             {.packed = true, .single = false, .transposed = false},
                             {.packed = true, .single = false, .transposed = true},
                             {.packed = true, .single = true, .transposed = false},
                             {.packed = true, .single = true, .transposed = true}};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct problem {
    size_t n;
    double *l, *b, *c, *wanted; /* n x n, and n x MOST_COLUMNS */
    float *single_b, *single_c;
} problem;

static void *array(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    assert_non_null(memory);
    return memory;
}

/* From -4 to 4. */
static double small_integer(test_random *random)
{
    return (double)(int)(9.0 * test_uniform(random)) - 4.0;
}

/* What is above the diagonal must not be read: it is there and large. */
static problem problem_new(size_t n)
{
    test_random random = {n};
    problem p = {.n = n};
    size_t count = n * MOST_COLUMNS;
    p.l = array(n * n, sizeof *p.l);
    p.b = array(count, sizeof *p.b);
    p.c = array(count, sizeof *p.c);
    p.wanted = array(count, sizeof *p.wanted);
    p.single_b = array(count, sizeof *p.single_b);
    p.single_c = array(count, sizeof *p.single_c);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) p.l[i + j * n] = i < j ? 1e9 : small_integer(&random);
    for (size_t i = 0; i < count; i++) p.single_b[i] = (float)(p.b[i] = small_integer(&random));
    return p;
}

static void problem_free(problem *p)
{
    void *arrays[] = {p->l, p->b, p->c, p->wanted, p->single_b, p->single_c};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

static void define_product(problem *p, bool transposed)
{
    size_t n = p->n;
    memset(p->wanted, 0, n * MOST_COLUMNS * sizeof *p->wanted);
    for (size_t j = 0; j < MOST_COLUMNS; j++)
        for (size_t k = 0; k < n; k++)
            for (size_t i = k; i < n; i++) {
                size_t row = transposed ? k : i, column = transposed ? i : k;
                p->wanted[row + j * n] += p->l[i + k * n] * p->b[column + j * n];
            }
}

/* NULL: in place. */
static tw_triangle *packed(tw_context *ctx, const problem *p, form wanted)
{
    tw_triangle *t = NULL;
    if (!wanted.packed) return NULL;
    assert_int_equal(tw_triangle_new(ctx, p->n, p->l, p->n, wanted.transposed, wanted.single, &t), TW_OK);
    return t;
}

static void multiply_as(form wanted, const problem *p, const tw_triangle *t, size_t first, size_t columns)
{
    const double *b = p->b + first * p->n;
    double *c = p->c + first * p->n;
    if (!wanted.packed)
        tw_triangle_multiply_in_place(p->n, p->l, p->n, columns, b, c);
    else if (!wanted.single)
        tw_triangle_multiply(t, columns, b, c);
    else
        tw_triangle_multiply_single(t, columns, p->single_b + first * p->n, p->single_c + first * p->n);
}

/* The first `columns` columns; the numbers behind them stay as they are. */
static void multiply(problem *p, form wanted, const tw_triangle *t, size_t columns)
{
    size_t count = p->n * MOST_COLUMNS;
    for (size_t i = 0; i < count; i++) p->single_c[i] = (float)(p->c[i] = -12345.0);
    multiply_as(wanted, p, t, 0, columns);
    for (size_t i = 0; wanted.single && i < count; i++) p->c[i] = (double)p->single_c[i];
}

static bool is_right(const problem *p, size_t columns)
{
    for (size_t i = 0; i < p->n * MOST_COLUMNS; i++)
        if (p->c[i] != (i < p->n * columns ? p->wanted[i] : -12345.0)) return false;
    return true;
}

static void products_are_exact(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (size_t s = 0; s < SIZES; s++) {
        problem p = problem_new(sizes[s]);
        for (size_t f = 0; f < FORMS; f++) {
            tw_triangle *t = packed(ctx, &p, forms[f]);
            define_product(&p, forms[f].transposed);
            for (size_t columns = 1; columns <= MOST_COLUMNS; columns++) {
                multiply(&p, forms[f], t, columns);
                assert_true(is_right(&p, columns));
            }
            p.wanted[p.n - 1] += 1.0; /* and one that is off by one is found */
            assert_false(is_right(&p, MOST_COLUMNS));
            tw_triangle_free(t);
        }
        problem_free(&p);
    }
    tw_context_free(ctx);
}

/* With numbers that round: a column has the same bits alone, and wherever it stands among others. */
static void a_column_does_not_depend_on_the_others(void **state)
{
    (void)state;
    enum { N = 101 };
    tw_context *ctx = new_context();
    problem p = problem_new(N);
    test_random random = {3};
    test_normals(&random, N * N, p.l);
    test_normals(&random, N * MOST_COLUMNS, p.b);
    for (size_t i = 0; i < N * MOST_COLUMNS; i++) p.single_b[i] = (float)p.b[i];
    for (size_t f = 0; f < FORMS; f++) {
        tw_triangle *t = packed(ctx, &p, forms[f]);
        double together[N * MOST_COLUMNS];
        multiply(&p, forms[f], t, MOST_COLUMNS);
        memcpy(together, p.c, sizeof together);
        for (size_t j = 0; j < MOST_COLUMNS; j++) multiply_as(forms[f], &p, t, j, 1);
        for (size_t i = 0; forms[f].single && i < N * MOST_COLUMNS; i++) p.c[i] = (double)p.single_c[i];
        assert_memory_equal(together, p.c, sizeof together);
        tw_triangle_free(t);
    }
    problem_free(&p);
    tw_context_free(ctx);
}

/* Half of a matrix, and at most a panel's height and a half for each row. */
static void memory_is_that_of_half_a_matrix(void **state)
{
    (void)state;
    enum { N = 500, PANEL_BYTES = 192 };
    tw_context *ctx = new_context();
    problem p = problem_new(N);
    size_t before = tw_context_bytes_in_use(ctx);
    for (size_t f = 1; f < FORMS; f++) {
        tw_triangle *t = packed(ctx, &p, forms[f]);
        size_t number = forms[f].single ? sizeof(float) : sizeof(double);
        assert_true(tw_context_bytes_in_use(ctx) - before < N * N / 2 * number + 3 * N / 2 * PANEL_BYTES);
        tw_triangle_free(t);
    }
    problem_free(&p);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(a_column_does_not_depend_on_the_others),
        cmocka_unit_test(memory_is_that_of_half_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
