/* talweg.h: includes all headers of the public interface. Each header documents the ownership of each argument,
 * and the shape and units of every array. Matrices are column-major with an explicit leading dimension. */
#ifndef TALWEG_H
#define TALWEG_H

#include <talweg/approximate.h>
#include <talweg/base.h>
#include <talweg/chains.h>
#include <talweg/check.h>
#include <talweg/covariance.h>
#include <talweg/data.h>
#include <talweg/diagnose.h>
#include <talweg/dynamics.h>
#include <talweg/evidence.h>
#include <talweg/evidence_plan.h>
#include <talweg/files.h>
#include <talweg/fit.h>
#include <talweg/fits.h>
#include <talweg/general.h>
#include <talweg/hyper.h>
#include <talweg/likelihood.h>
#include <talweg/model.h>
#include <talweg/output.h>
#include <talweg/parameter.h>
#include <talweg/predict.h>
#include <talweg/prior.h>
#include <talweg/problem.h>
#include <talweg/progress.h>
#include <talweg/report.h>
#include <talweg/run.h>
#include <talweg/sample.h>
#include <talweg/sampling_plan.h>
#include <talweg/selftest.h>
#include <talweg/sparse.h>
#include <talweg/store.h>
#include <talweg/team.h>
#include <talweg/warning.h>

#endif
