"""Failure times at different loads; the times of parts that outlast the test are censored.

S(t) = exp(-e^f(load) t^shape), f a Gaussian process. The data are simulated with shape 2, which the evidence finds;
without the censored parts, the failure times would be underestimated.
"""

import numpy as np

import talweg

HOURS, SHAPE = 10.0, 2.0
rng = np.random.default_rng(11)
load = np.linspace(0, 1, 120)
time = np.exp((np.log(rng.exponential(size=120)) - (-5 + 4 * load**2)) / SHAPE)
censored = time > HOURS
time = np.minimum(time, HOURS)
print(f"{censored.sum()} of 120 parts were still working after {HOURS:.0f} hours")


def fit(keep, shape):
    """EP with one shape, for the parts to keep."""
    about = dict(likelihood="weibull", shape=shape, censored=censored[keep].astype(float))
    return talweg.approx(load[keep], time[keep], kernel="se(ell=0.5, sigma=2) + constant(variance=9)", **about)


def median_time(approximation, shape):
    """S(t) = 1/2 at the mean of the log hazard."""
    hazard = talweg.predict(approximation, [0.1, 0.9], censored=0).mean
    return np.exp((np.log(np.log(2)) - hazard) / shape)


everything = np.full(120, True)
for shape in (1.0, 2.0, 4.0):
    print(f"shape {shape:.0f}: log Z by EP {fit(everything, shape).ep.log_z:.2f}")
truth = np.exp((np.log(np.log(2)) - (-5 + 4 * np.array([0.1, 0.9]) ** 2)) / SHAPE)
for name, keep in (("all parts", everything), ("without the censored", ~censored)):
    print(f"median time at loads 0.1 and 0.9, {name}: {median_time(fit(keep, SHAPE), SHAPE).round(2)}")
print(f"in truth: {truth.round(2)}")
