/* oracle.c: read the oracles; see oracle.h. */
#include "support/oracle.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support.h"

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static json_t *load_cases(const char *name, json_t **root)
{
    char path[1024];
    json_error_t error;
    shared_path(name, path, sizeof path);
    *root = json_load_file(path, 0, &error);
    if (!*root) fail_msg("%s: %s", path, error.text);
    json_t *cases = json_object_get(*root, "cases");
    assert_true(json_is_array(cases));
    return cases;
}

static void allocate_case(oracle_case *c, size_t n)
{
    c->n = n;
    c->k = malloc(n * n * sizeof *c->k);
    c->y = malloc(n * sizeof *c->y);
    assert_true(c->k && c->y);
}

/* K = a 11' + b I, with the sites ordered by kind. */
static void read_equicorrelated(const json_t *from, oracle_case *c)
{
    double a = number(from, "a"), b = number(from, "b");
    const char *likelihood = json_string_value(json_object_get(from, "likelihood"));
    const json_t *sites = json_object_get(from, "sites");
    size_t row = 0;
    allocate_case(c, (size_t)number(from, "n"));
    c->likelihood = tw_likelihood_find(likelihood);
    c->log_z = number(from, "log_Z");
    c->kinds = json_array_size(sites);
    assert_true(c->likelihood && c->kinds <= ORACLE_MAX_KINDS);
    snprintf(c->name, sizeof c->name, "%s n=%zu a=%g b=%g", likelihood, c->n, a, b);
    for (size_t kind = 0; kind < c->kinds; kind++) {
        const json_t *site = json_array_get(sites, kind);
        c->first[kind] = row;
        c->mean[kind] = number(site, "mean");
        c->sd[kind] = number(site, "sd");
        for (size_t i = 0; i < (size_t)number(site, "count"); i++) c->y[row++] = number(site, "y");
    }
    assert_int_equal(row, c->n);
    for (size_t j = 0; j < c->n; j++)
        for (size_t i = 0; i < c->n; i++) c->k[i + j * c->n] = a + (i == j ? b : 0.0);
}

static void read_orthant(const json_t *from, size_t number_of_case, oracle_case *c)
{
    const json_t *k = json_object_get(from, "K"), *y = json_object_get(from, "y");
    allocate_case(c, json_array_size(y));
    c->likelihood = tw_likelihood_find("probit");
    c->log_z = number(from, "log_Z");
    c->kinds = 0;
    snprintf(c->name, sizeof c->name, "orthant %zu", number_of_case + 1);
    for (size_t j = 0; j < c->n; j++) {
        c->y[j] = json_number_value(json_array_get(y, j));
        for (size_t i = 0; i < c->n; i++)
            c->k[i + j * c->n] = json_number_value(json_array_get(json_array_get(k, i), j));
    }
}

static oracle_case *read_all(const char *name, bool orthant, size_t *count)
{
    json_t *root, *cases = load_cases(name, &root);
    *count = json_array_size(cases);
    oracle_case *out = calloc(*count, sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < *count; i++) {
        if (orthant)
            read_orthant(json_array_get(cases, i), i, &out[i]);
        else
            read_equicorrelated(json_array_get(cases, i), &out[i]);
    }
    json_decref(root);
    return out;
}

oracle_case *oracle_equicorrelated(size_t *count)
{
    return read_all("oracles/equicorrelated.json", false, count);
}

oracle_case *oracle_orthant3(size_t *count)
{
    return read_all("oracles/orthant3.json", true, count);
}

void oracle_free(oracle_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(cases[i].k);
        free(cases[i].y);
    }
    free(cases);
}
