"""Pain on a scale from "none" to "unbearable". Answers on a scale have an order but no distances.

Level j means that f(dose) plus normal noise is between two cut points, which are parameters of the likelihood and are
fitted together with those of the kernel. The data are simulated; posterior draws give the probability of each answer at
a dose.
"""

import numpy as np

import talweg

LEVELS = ["none", "little", "some", "much", "unbearable"]
CUTS = np.array([-1.5, -0.5, 0.3, 1.5])
rng = np.random.default_rng(20)
dose = np.linspace(0, 4, 150)
pain = 1.5 * np.exp(-dose) - 0.8
answer = np.array(LEVELS)[np.searchsorted(CUTS, pain + rng.normal(size=150))]

fitted = talweg.fit(dose, answer, likelihood="ordinal5", levels=LEVELS, kernel="se", prior="default", starts=1)
draws = talweg.sample(fitted.model, fix="all", chains=4, draws=500, seed=1)
new = np.array([0.0, 1.0, 3.0])
found = talweg.predict(draws, new).probabilities
print("dose  " + "".join(f"{level:>12}" for level in LEVELS))
for k, at in enumerate(new):
    print(f"{at:4.1f}  " + "".join(f"{p:12.3f}" for p in found[k]))
