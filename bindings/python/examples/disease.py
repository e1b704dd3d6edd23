"""Relative risks of a disease by area. Counts by area, with the expected number of cases from its population as exposure.

y ~ negative binomial with mean e exp(f(s)) and variance mean + mean^2/dispersion, f a Gaussian process over the map: the log of the
relative risk. The data are simulated with dispersion 3 and a hot spot in the east; the evidence rejects Poisson counts.
"""

import numpy as np

import talweg

rng = np.random.default_rng(4)
east, north = map(np.ravel, np.meshgrid(np.arange(10.0), np.arange(10.0)))
risk = 0.8 + 1.7 * np.exp(-((east - 7) ** 2 + (north - 4) ** 2) / 8)
expected = rng.uniform(3, 20, size=100)
count = rng.poisson(expected * risk * rng.gamma(3, 1 / 3, size=100))

X = np.column_stack([east, north])
options = dict(exposure=expected, log_ell=np.log(2.5), log_sigma=np.log(0.7))
poisson = talweg.approx(X, count, likelihood="poisson", **options)
model = talweg.Model(X, count, likelihood="negative_binomial", dispersion=3, **options)
print(f"log Z by EP: {poisson.ep.log_z:.1f} with Poisson counts, {talweg.approx(model).ep.log_z:.1f} with dispersion 3")

draws = talweg.sample(model, chains=4, draws=1000, seed=1)
relative = np.exp(draws.x)
above = (relative > 1.5).mean(axis=(0, 1))
print("areas whose risk is above 1.5 with a probability of 0.95 or more:")
for k in np.flatnonzero(above >= 0.95):
    low, high = np.quantile(relative[..., k], [0.05, 0.95])
    print(f"  ({east[k]:.0f}, {north[k]:.0f}): relative risk {low:.2f} to {high:.2f}, in truth {risk[k]:.2f}")
