/* Graphs in files: the Laplacian, connected components, and refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/sparse.h"
#include "support/dense.h"
#include "support/scratch_file.h"
#include "support/sparse_case.h"
#include "support/support.h"

static tw_status read_text(tw_context *ctx, const char *text, tw_sparse **out)
{
    scratch_file file = scratch_write_text(".graph", text);
    tw_status status = tw_graph_read(ctx, file.path, out);
    scratch_remove(&file);
    return status;
}

/* A path of three areas, and a fourth beside it, in both formats. */
static void a_graph_is_its_laplacian(void **state)
{
    static const char *const texts[] = {
        "# neighbours\n4\n2 2 1 3\n1 1 2\n3 1 2\n4 0\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 2\n",
        "%%MatrixMarket matrix coordinate real general\n4 4 5\n2 1 .5\n1 2 .5\n3 2 7\n2 3 7\n4 4 9\n"};
    const double expected[16] = {1, -1, 0, 0, -1, 2, -1, 0, 0, -1, 1, 0, 0, 0, 0, 0};
    (void)state;
    tw_context *ctx = new_context();
    for (size_t k = 0; k < 3; k++) {
        tw_sparse *graph = NULL;
        uint32_t part[4];
        assert_int_equal(read_text(ctx, texts[k], &graph), TW_OK);
        double *full = full_matrix(graph);
        assert_memory_equal(full, expected, sizeof expected);
        assert_int_equal(tw_graph_parts(graph, part), 2);
        assert_true(part[0] == 0 && part[1] == 0 && part[2] == 0 && part[3] == 3);
        free(full);
        tw_sparse_free(graph);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void what_is_no_graph_is_refused_with_words(void **state)
{
    static const char *const cases[][2] = {
        {"", "empty"},
        {"x\n", "line 1: found \"x\"; expected the number of areas"},
        {"1099511627776\n1 0\n", "expected the number of areas"},
        {"2000000000\n1 0\n", "it may be truncated"},
        {"2\n1 1 2\n", "is truncated: the number of an area is missing"},
        {"2\n1 1 3\n2 1 1\n", "line 2: found \"3\"; expected the number of a neighbour"},
        {"2\n1 1 1\n2 1 1\n", "line 2: area 1 is its own neighbour"},
        {"2\n1 1 2\n1 1 2\n", "line 3: area 1 occurs twice"},
        {"3\n1 2 2 2\n2 1 1\n3 0\n", "occurs twice"},
        {"2\n1 1 2\n2 0\n", "area 1 lists 2 as a neighbour, but area 2 does not list 1"},
        {"2\n1 1 2\n2 1 1\n5\n", "expected the end of the file"},
        {"2\n1 1 2x\n2 1 1\n", "found \"2x\""}};
    (void)state;
    tw_context *ctx = new_context();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tw_sparse *graph = NULL;
        assert_int_equal(read_text(ctx, cases[k][0], &graph), TW_BAD_DATA);
        assert_null(graph);
        if (!strstr(tw_context_message(ctx), cases[k][1]))
            fail_msg("case %zu says: %s", k, tw_context_message(ctx));
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The geometric mean of the diagonal of L's generalised inverse, which is (L + J)^-1 - J, J = 11'/n, by elimination. */
static void a_graph_has_the_scale_of_its_inverse(void **state)
{
    static const char *const texts[] = {"3\n1 1 2\n2 2 1 3\n3 1 2\n",
                                        "6\n1 5 2 3 4 5 6\n2 1 1\n3 1 1\n4 1 1\n5 1 1\n6 1 1\n",
                                        "7\n1 1 4\n2 2 4 6\n3 1 7\n4 4 1 2 5 7\n5 2 4 6\n6 2 2 5\n7 2 3 4\n"};
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    for (size_t k = 0; k < 3; k++) {
        tw_sparse *graph = NULL;
        double identity[49] = {0.0}, inverse[49], variance = 0.0, mean = 0.0;
        assert_int_equal(read_text(ctx, texts[k], &graph), TW_OK);
        size_t n = graph->rows;
        double *full = full_matrix(graph);
        for (size_t i = 0; i < n * n; i++) full[i] += 1.0 / (double)n;
        for (size_t i = 0; i < n; i++) identity[i + i * n] = 1.0;
        dense_solve(n, full, n, identity, inverse);
        for (size_t i = 0; i < n; i++) mean += log(inverse[i + i * n] - 1.0 / (double)n) / (double)n;
        assert_int_equal(tw_graph_scale(graph, &variance), TW_OK);
        assert_close(variance, exp(mean), 1e-12, "the scale");
        free(full);
        tw_sparse_free(graph);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_is_its_laplacian),
        cmocka_unit_test(what_is_no_graph_is_refused_with_words),
        cmocka_unit_test(a_graph_has_the_scale_of_its_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
