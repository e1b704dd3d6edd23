/* many_machines.c: the evidence of a model, computed by all processes that mpirun starts.
 *
 *   mpirun -n 4 ./many_machines
 *
 * Every process makes the same calls. The particles are divided among the processes, rank 0 prints, and the results
 * are bitwise identical for any number of processes: random numbers belong to a particle, not to a process, and
 * sums are formed in the order of the particles.
 */
#include <stdio.h>

#include <talweg/talweg.h>
#include <talweg/team_mpi.h>

static tw_status make_model(tw_context *ctx, tw_model **out)
{
    tw_kernel *kernel = NULL;
    tw_data *data = NULL;
    TW_TRY(tw_data_two_classes(ctx, 60, 1, 0, &data));
    tw_status status = tw_kernel_parse(ctx, "se(log_ell=0.3, log_sigma=2)", data->d, &kernel);
    if (status == TW_OK)
        status = tw_model_from_data(data, kernel, tw_likelihood_find("probit"), NULL, 0.0, out);
    tw_kernel_free(kernel);
    tw_data_free(data);
    return status;
}

static tw_status run(tw_context *ctx)
{
    tw_model *model = NULL;
    tw_evidence_plan *plan = NULL;
    tw_evidence_result r = {0};
    tw_status status = make_model(ctx, &model);
    if (status == TW_OK) status = tw_evidence_plan_new(model, NULL, NULL, &plan);
    if (status == TW_OK) status = tw_evidence_run(plan, NULL, &r);
    for (size_t k = 0; status == TW_OK && tw_team_leads(ctx) && k < r.count; k++)
        printf("%-12s log Z %.4f +- %.4f\n", r.estimate[k].method, r.estimate[k].log_z, r.estimate[k].se);
    tw_evidence_plan_free(plan);
    tw_model_free(model);
    return status;
}

int main(int argc, char **argv)
{
    int provided = 0;
    tw_context *ctx = NULL;
    tw_team *team = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED || tw_context_new(NULL, &ctx) != TW_OK) MPI_Abort(MPI_COMM_WORLD, 3);
    tw_status status = tw_team_mpi(ctx, MPI_COMM_WORLD, &team);
    if (status == TW_OK) status = tw_context_set_team(ctx, team);
    if (status == TW_OK) status = run(ctx);

    /* Where one rank failed, all know it now, and the first one says why. */
    if (team) {
        tw_status all = tw_team_mpi_end(team, status, tw_context_message(ctx));
        if (all != TW_OK && tw_team_leads(ctx))
            fprintf(stderr, "many_machines: %s\n", team->reason(team->user));
        if (status == TW_OK) status = all;
    }
    tw_context_set_team(ctx, NULL);
    tw_team_mpi_free(team);
    tw_context_free(ctx);
    MPI_Finalize();
    return tw_status_exit_code(status);
}
