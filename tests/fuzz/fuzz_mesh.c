/* fuzz_mesh.c: meshes of triangles in files. */
#include "covariance/mesh.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_context *ctx = fuzz_context();
    tw_mesh mesh = {0};
    tw_precision p = {.ctx = ctx};
    const double at[2] = {0.25, 0.25};
    const tw_mesh_field field = {.power = 2, .c = 1.0, .scale = {1.0, 1.0}};
    const double *const input[2] = {&at[0], &at[1]};
    tw_status status = tw_mesh_read(ctx, fuzz_write(".mesh", data, size), &mesh);
    if (status == TW_OK) status = tw_mesh_precision(&mesh, &field, &p);
    if (status == TW_OK) status = tw_mesh_design(&mesh, 1, input, &p, &p.design);
    tw_precision_release(&p);
    tw_mesh_free(ctx, &mesh);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 1000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {"nodes 3\n0 0\n1 0\n0 1\ntriangles 1\n1 2 3\n",
                                        "# two\nnodes 4\n0 0\n1 0\n0 1\n1 1\ntriangles 2\n1 2 3\n2 4 3\n",
                                        "nodes 1099511627776\n0 0\n", NULL};
    return fuzz_text(seeds, k, length);
}
