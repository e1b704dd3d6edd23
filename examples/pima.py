"""pima.py: Pima from raw CSV to averaged predictions in three commands, compared with scikit-learn's classifier; and the time of both to fit seven
length scales, in one run. Usage: pima.py TALWEG TRAIN.csv TEST.csv (needs numpy and scikit-learn)"""

import csv
import os
import resource
import subprocess
import sys
import tempfile
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402
from sklearn.gaussian_process import GaussianProcessClassifier  # noqa: E402
from sklearn.gaussian_process.kernels import RBF, ConstantKernel  # noqa: E402

program, train, test = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])


def read(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def run(*arguments):
    """Processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *arguments, "--quiet", "--threads", "1"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peer(lengths):
    """scikit-learn's fit, one start: the model, and its processor seconds."""
    start = time.process_time()
    model = GaussianProcessClassifier(ConstantKernel(1.0, (1e-3, 1e4)) * RBF(np.ones(lengths), (1e-2, 1e3))).fit(X, y)
    return model, time.process_time() - start


X, y = read(train)
new, label = read(test)
centre, scale = X.mean(axis=0), X.std(axis=0)
X, new = (X - centre) / scale, (new - centre) / scale
with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    seconds = [run("fit", train, "--standardise", "--likelihood", "logit", "--prior", "default", "-o", "model.json")]
    seconds += [run("sample", "--model", "model.json", "-o", "run.nc")]
    seconds += [run("predict", "run.nc", test, "-o", "predictions.csv")]
    with open("predictions.csv", newline="") as file:
        ours = np.array([float(row["log_score"]) for row in csv.DictReader(file)])
    ard = run("fit", train, "--standardise", "--likelihood", "logit", "--kernel", "se(ard)", "--starts", "1", "-o", "ard.json")
print("talweg, averaged over parameters and latents: mean log score %.4f +- %.4f" % (ours.mean(), ours.std() / len(ours) ** 0.5))
print("    processor time of fit, sample, predict: %.2f, %.2f, %.2f s; of a fit of 7 length scales, one start: %.2f s" % (*seconds, ard))
for lengths in (1, 7):
    model, fitting = peer(lengths)
    theirs = np.log(model.predict_proba(new))[np.arange(len(label)), (label > 0).astype(int)]
    gap = ours - theirs
    print("scikit-learn, fitted, length scales: %d: mean log score %.4f; talweg's is %.4f +- %.4f above it, over the same %d cases" %
          (lengths, theirs.mean(), gap.mean(), gap.std() / len(gap) ** 0.5, len(gap)))
    print("    processor time of its fit, one start: %.2f s" % fitting)
