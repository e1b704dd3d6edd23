"""talweg.sklearn: scikit-learn's own checks, and predictions that are talweg's."""

import pickle
import warnings

import numpy as np
import pytest

import talweg

from conftest import counts, two_classes

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from talweg.sklearn import GaussianProcessClassifier, GaussianProcessRegressor

# At fixed parameters: the checks are of the interface, and call fit some fifty times.
QUICK = [GaussianProcessClassifier(optimise=False), GaussianProcessRegressor(likelihood="gaussian", optimise=False)]


@parametrize_with_checks(QUICK)
def test_estimators_are_what_sklearn_expects(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", talweg.TalwegWarning)
        check(estimator)


def test_classifier_predicts_what_talweg_does():
    X, y = two_classes(60)
    names = np.where(y > 0, "yes", "no")
    classifier = GaussianProcessClassifier().fit(X, names)
    fitted = talweg.fit(X, y, standardise=True, prior="default", starts=1)
    expected = talweg.predict(talweg.approx(fitted.model), X).probability
    assert list(classifier.classes_) == ["no", "yes"] and classifier.log_z_ == fitted.log_z
    assert np.allclose(classifier.predict_proba(X)[:, 1], expected, rtol=0, atol=1e-12)
    assert classifier.score(X, names) > 0.8 and clone(classifier).get_params() == classifier.get_params()


def test_draws_survive_a_pickle_to_the_bit():
    X, y = two_classes(40)
    classifier = GaussianProcessClassifier(
        "se(ell=1.5, sigma=2)", optimise=False, inference="draws", warmup=100, draws=200, random_state=3
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", talweg.TalwegWarning)
        first = classifier.fit(X, y).predict_proba(X)
        again = pickle.loads(pickle.dumps(classifier))
        assert np.array_equal(again.predict_proba(X), first)
    assert classifier.draws_.x.shape == (4, 200, 40)
    with pytest.raises(AttributeError, match='inference="draws"'):
        GaussianProcessClassifier(optimise=False).fit(X, y).draws_


def test_counts():
    X, y = counts(50)
    regressor = GaussianProcessRegressor().fit(X, y)
    mean, sd = regressor.predict(X, return_std=True)
    assert np.corrcoef(mean, y)[0, 1] > 0.7 and np.all(sd > np.sqrt(mean) * 0.99)  # no less than Poisson's
    assert np.isfinite(regressor.evidence(particles=64).log_z)


def test_errors_name_the_argument():
    X, y = two_classes(20)
    with pytest.raises(talweg.InputError, match="inference"):
        GaussianProcessClassifier(inference="vb").fit(X, y)
    with pytest.raises(talweg.InputError, match="random_state"):
        GaussianProcessClassifier(random_state=np.random.RandomState(1)).fit(X, y)


def people(n):
    """A data frame with text, counts and exposures."""
    pd = pytest.importorskip("pandas")
    k = np.arange(n)
    frame = pd.DataFrame({"age": 20.0 + (37 * k) % 60, "area": np.where(k % 3, "north", "south")})
    exposure = 1.0 + k % 4
    return frame, exposure, np.floor(exposure * (2 + np.sin(frame["age"] / 9) + (k % 3 == 0)))


def test_data_frames_keep_their_names_and_their_text():
    frame, exposure, y = people(40)
    kernel = "se(age, ell=0.7, sigma=1) + categorical(area, sigma=0.8)"
    regressor = GaussianProcessRegressor(kernel, optimise=False).fit(frame, y, exposure=exposure)
    model = talweg.Model(frame, y, likelihood="poisson", kernel=kernel, standardise=True, exposure=exposure)
    expected = talweg.predict(talweg.approx(model), frame[:9], exposure=exposure[:9]).y_mean
    assert np.allclose(regressor.predict(frame[:9], exposure=exposure[:9]), expected, rtol=1e-12)
    again = pickle.loads(pickle.dumps(regressor))
    assert np.allclose(again.predict(frame[:9], exposure=exposure[:9]), expected, rtol=1e-12)
    assert list(regressor.feature_names_in_) == ["age", "area"]
    with pytest.raises(ValueError, match="feature names"):
        regressor.predict(frame[["area", "age"]], exposure=1.0)
    with pytest.raises(talweg.InputError, match="different values of exposure"):
        regressor.predict(frame)
    classifier = GaussianProcessClassifier(kernel, optimise=False).fit(frame, np.where(y > 4, "many", "few"))
    assert classifier.predict_proba(frame[:3]).shape == (3, 2)


def test_no_prior_and_real_observations():
    X, y = counts(30)
    regressor = GaussianProcessRegressor(prior=None).fit(X, y)
    assert np.isfinite(regressor.log_z_)
    with pytest.raises(talweg.InputError, match='likelihood="gaussian"'):
        GaussianProcessRegressor().fit(X, y + 0.5)


@pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")
@pytest.mark.parametrize("inference", ["ep", "draws"])
def test_predictions_are_those_of_the_fit(inference):
    """Neither the caller's arrays nor set_params change a fitted estimator, pickled or not."""
    X, y = counts(30)
    X, y, exposure = np.asfortranarray(X, dtype=float), np.array(y, dtype=float), np.linspace(0.5, 2.0, 30)
    new = np.array(X)
    made = GaussianProcessRegressor("se(ell=2)", optimise=False, inference=inference, chains=2, warmup=20, draws=30)
    made.fit(X, y, exposure=exposure)
    before = made.predict(new, exposure=1.0)
    copied = pickle.loads(pickle.dumps(made))
    X[:], y[:], exposure[:] = 7.0, 1.0, 9.0
    made.set_params(likelihood="gaussian", standardise=False, inference="laplace", chains=3, warmup=5, draws=7, random_state=8)
    for fitted in (made, pickle.loads(pickle.dumps(made)), copied):
        assert np.array_equal(fitted.predict(new, exposure=1.0), before)
        assert hasattr(fitted, "draws_") == (inference == "draws")
    with pytest.raises(ValueError):
        made.X_train_[0] = 3.0


def test_a_grid_keeps_its_axes():
    X, y = two_classes(20)
    axis = np.array([0.0, 1.0])
    found = talweg.grid(X, y, log_ell=axis, log_sigma=[0.0])
    axis[:] = 5.0
    assert list(found.log_ell) == [0.0, 1.0]


def test_the_unit_of_y_does_not_matter():
    from sklearn.datasets import load_diabetes

    inputs, targets = load_diabetes(return_X_y=True)
    scores = []
    for unit in (1.0, 0.01):
        model = GaussianProcessRegressor("se + constant", likelihood="gaussian")
        model.fit(inputs[:200], unit * targets[:200])
        scores.append(model.score(inputs[200:], unit * targets[200:]))
    assert scores[0] > 0.4 and abs(scores[1] - scores[0]) < 1e-4
