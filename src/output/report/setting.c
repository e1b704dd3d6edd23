/* setting.c: data and model, then for every file its sampler and the command that made it. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "output/report/html.h"
#include "output/report/parts.h"

enum { TEXT_BYTES = 1024, MOST_SHOWN = 12 };

/* Text to which functions append. */
typedef struct text {
    char words[TEXT_BYTES];
    size_t length;
} text;

static void add(text *t, const char *format, ...) TW_PRINTF(2, 3);

static void add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, a line above */
    int more = vsnprintf(t->words + t->length, sizeof t->words - t->length, format, arguments);
    va_end(arguments);
    t->length += more > 0 ? (size_t)more : 0;
    if (t->length >= sizeof t->words) t->length = sizeof t->words - 1;
}

/* ---- data and model ---- */

static void print_observations(const tw_problem *problem, FILE *page)
{
    const tw_data *data = problem->data;
    size_t positive = 0, n = data->n - data->hidden;
    const char *const *label = (const char *const *)data->labels.text;
    double low = data->y[0], high = data->y[0], sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        positive += data->y[i] > 0.0;
        low = data->y[i] < low ? data->y[i] : low;
        high = data->y[i] > high ? data->y[i] : high;
        sum += data->y[i];
    }
    if (problem->likelihood->two_classes && data->labels.count == 2)
        tw_html_fact(page, "observations", "%zu of class +1 (%.60s), %zu of class −1 (%.60s)", positive,
                     label[1], n - positive, label[0]);
    else if (problem->likelihood->two_classes)
        tw_html_fact(page, "observations", "%zu of class +1, %zu of class −1", positive, n - positive);
    else
        tw_html_fact(page, "observations", "from %g to %g, mean %.4g", low, high, sum / (double)n);
}

static void print_inputs(const tw_problem *problem, FILE *page)
{
    const tw_data *data = problem->data;
    text t = {.length = 0};
    if (tw_kernel_matrix(problem->kernel, NULL)) return;
    add(&t, "%zu", data->d);
    for (size_t k = 0; data->names && k < data->d && k < MOST_SHOWN; k++)
        add(&t, "%s%.40s", k ? ", " : ": ", data->names[k]);
    if (data->names && data->d > MOST_SHOWN) add(&t, ", …");
    if (problem->scaling) add(&t, "; standardised");
    tw_html_fact(page, "inputs", "%s", t.words);
}

static void print_kernel(const tw_problem *problem, FILE *page)
{
    const char *shape = tw_kernel_shape(problem->kernel);
    char *words = NULL;
    if (tw_kernel_matrix(problem->kernel, NULL)) {
        tw_html_fact(page, "kernel", "a given matrix");
        return;
    }
    if (tw_kernel_describe(problem->kernel, MOST_SHOWN, &words) == TW_OK)
        tw_html_fact(page, "kernel", "%s%s%s", shape ? shape : "", shape ? "; " : "", words);
    tw_release(problem->ctx, words);
}

static void print_likelihood(const tw_problem *problem, FILE *page)
{
    char words[400];
    tw_problem_describe_constants(problem, words, sizeof words);
    tw_html_fact(page, "likelihood", "%s%s%s", problem->likelihood->name, *words ? ", " : "", words);
}

static void print_model(const tw_problem *problem, FILE *page)
{
    tw_model_info info = tw_model_describe(problem->model);
    print_likelihood(problem, page);
    print_kernel(problem, page);
    tw_html_fact(page, "covariance", "%zu × %zu, of rank %zu", info.n, info.n, info.rank);
    if (info.jitter > 0.0) tw_html_fact(page, "jitter", "%g", info.jitter);
}

/* ---- the files ---- */

static void print_points(const tw_run_theta *t, FILE *page)
{
    if (isnan(t->log_z[0]))
        tw_html_fact(page, "sampler", "%zu chains with sites that depend on the parameters", t->scrambles);
    else
        tw_html_fact(page, "sampler",
                     "importance sampling squared: %zu points in %zu scrambles, from EP's Gaussian",
                     t->points, t->scrambles);
    for (size_t k = 0; k < t->unknown; k++) tw_html_fact(page, "prior", "%s", t->prior[k]);
    tw_html_fact(page, "draws", "%zu, %s", t->draws,
                 isnan(t->log_z[0]) ? "of all chains, shuffled" : "resampled by the weights and shuffled");
}

static void print_sampler(const tw_run_facts *f, FILE *page)
{
    const tw_method_info *method = tw_method_find(f->method);
    const tw_tuning *tuning = &f->tuning;
    tw_html_fact(page, "sampler", "%s, metric %s", f->method, f->metric);
    if (!method || method->has_steps) {
        text t = {.length = 0};
        add(&t, "step size %.4g, %zu leapfrog step%s", tuning->eps, tuning->steps,
            tuning->steps == 1 ? "" : "s");
        if (tuning->jittered && tuning->steps > 1)
            add(&t, " (%zu to %zu)", (tuning->steps + 1) / 2, 3 * tuning->steps / 2);
        tw_html_fact(page, "trajectories", "%s", t.words);
    }
    if (f->beta != 1.0) tw_html_fact(page, "temperature", "β = %g, from %s", f->beta, f->from);
    tw_html_fact(page, "chains", "%zu of %zu draws%s", f->chains, f->draws,
                 f->interrupted ? " (interrupted)" : "");
    tw_html_fact(page, "warm-up", "%zu iterations", f->warmup);
    if (f->thin > 1) tw_html_fact(page, "thinning", "one draw in %zu kept", f->thin);
}

static void print_file(const tw_report *r, size_t k)
{
    FILE *page = r->page;
    const tw_run_facts *f = tw_run_describe(r->pool->run[k]);
    fputs("<h3>", page);
    tw_html_text(r->pool->path[k], page);
    fputs("</h3>\n<dl>\n", page);
    const tw_run_theta *theta = tw_run_read_theta(r->pool->run[k]);
    if (theta) print_points(theta, page);
    if (f->draws > 0 && !theta) print_sampler(f, page);
    if (f->draws == 0) tw_html_fact(page, "contents", "estimates of log Z");
    tw_html_fact(page, "seed", "%llu", (unsigned long long)f->seed);
    tw_html_fact(page, "written", "%s by talweg %s", f->created_at, f->version);
    fputs("</dl>\n", page);
    if (*f->command) tw_html_command(f->command, page);
}

void tw_report_setting(const tw_report *r)
{
    FILE *page = r->page;
    const tw_problem *problem = r->pool->problem;
    const char *data = tw_run_describe(r->pool->run[0])->data;
    fputs("<section id=\"setting\">\n<h2>Settings</h2>\n<dl>\n", page);
    if (*data) tw_html_fact(page, "data", "%s", data);
    tw_html_fact(page, "cases", "%zu", problem->data->n);
    print_inputs(problem, page);
    print_observations(problem, page);
    print_model(problem, page);
    fputs("</dl>\n", page);
    for (size_t k = 0; k < r->pool->files; k++) print_file(r, k);
    fputs("</section>\n", page);
}
