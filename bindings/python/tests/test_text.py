"""Columns and labels of text: categories, two classes, ordered levels, as the program has them."""

import math

import numpy as np
import pytest

import talweg

KERNEL = "se(1, ell=1.5, sigma=2) + categorical(2, sigma=0.7)"


def people(n=40, seed=3):
    """Ages, sexes as text, and a label that depends on both."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(-2, 2, n)
    sex = np.where(rng.uniform(size=n) < 0.5, "male", "female")
    sick = np.where(2 * age + (sex == "male") + rng.normal(size=n) > 0, "yes", "no")
    return age, sex, sick


def rows(age, sex):
    return [[a, s] for a, s in zip(age.tolist(), sex.tolist())]


def codes(age, sex):
    return np.column_stack([age, sex == "male"])


def test_categories_are_equal_or_not():
    age, sex, sick = people()
    text = talweg.Model(rows(age, sex), sick, kernel=KERNEL)
    numbers = talweg.Model(codes(age, sex), sick == "yes", kernel=KERNEL)
    assert text.categories == {"2": ["female", "male"]} and text.labels == ["no", "yes"]
    np.testing.assert_array_equal(text.y, numbers.y)
    fit, other = talweg.approx(text), talweg.approx(numbers)
    assert fit.ep.log_z == other.ep.log_z
    at = np.array([0.3, -0.4]), np.array(["female", "male"])
    p, q = talweg.predict(fit, rows(*at), ["no", "yes"]), talweg.predict(other, codes(*at), [0, 1])
    np.testing.assert_array_equal(p.probability, q.probability)
    np.testing.assert_array_equal(p.log_score, q.log_score)


def test_positive_turns_the_classes_round():
    age, sex, sick = people()
    usual = talweg.Model(age, sick, log_ell=0, log_sigma=1)
    turned = talweg.Model(age, sick, log_ell=0, log_sigma=1, positive="no")
    assert turned.labels == ["yes", "no"]
    np.testing.assert_array_equal(turned.y, -usual.y)
    numbers = talweg.Model(age, np.where(sick == "yes", 2, 1), log_ell=0, log_sigma=1, positive=1)
    assert numbers.labels == ["2", "1"]
    np.testing.assert_array_equal(numbers.y, turned.y)


def test_new_categories():
    age, sex, sick = people()
    fit = talweg.approx(rows(age, sex), sick, kernel=KERNEL)
    new = [[0.3, "other"]]
    with pytest.raises(talweg.InputError, match="found \"other\".* the categories of the training cases are \"female\", \"male\"; use new_categories=True"):
        talweg.predict(fit, new)
    found = talweg.predict(fit, new, new_categories=True)
    known = talweg.predict(fit, [[0.3, "female"], [0.3, "male"]])
    assert found.variance[0] > known.variance.max()  # the prior of one effect more
    with pytest.raises(talweg.InputError, match="is numbers, but in the training cases it is text"):
        talweg.predict(fit, [[0.3, 1.0]])


def test_frames_match_by_name():
    pandas = pytest.importorskip("pandas")
    age, sex, sick = people()
    frame = pandas.DataFrame({"age": age, "sex": pandas.Categorical(sex)})
    kernel = "se(age, ell=1.5, sigma=2) + categorical(sex, sigma=0.7)"
    model = talweg.Model(frame, pandas.Series(sick), kernel=kernel)
    assert model.names == ["age", "sex"] and model.categories == {"sex": ["female", "male"]}
    fit = talweg.approx(model)
    assert fit.ep.log_z == talweg.approx(rows(age, sex), sick, kernel=KERNEL).ep.log_z
    straight = talweg.predict(fit, frame[:5]).probability
    np.testing.assert_array_equal(talweg.predict(fit, frame[:5][["sex", "age"]]).probability, straight)
    with pytest.raises(talweg.InputError, match="sex"):
        talweg.predict(fit, frame[:5].rename(columns={"sex": "gender"}))


def test_levels_in_order():
    pandas = pytest.importorskip("pandas")
    age, _, _ = people()
    level = np.digitize(age + 0.3 * np.sin(9 * age), [-0.7, 0.6])
    names = ["low", "medium", "high"]
    texts = np.array(names)[level]
    options = dict(likelihood="ordinal3", log_ell=0.0, log_sigma=0.5)
    numbers = talweg.Model(age, level + 1, **options)
    given = talweg.Model(age, texts, levels=names, **options)
    frame = talweg.Model(age, pandas.Series(pandas.Categorical(texts, names, ordered=True)), **options)
    for model in (given, frame):
        np.testing.assert_array_equal(model.y, numbers.y)
        assert model.labels == names
    with pytest.raises(talweg.InputError, match="the labels are text"):
        talweg.Model(age, texts, **options)
    with pytest.raises(talweg.InputError, match="found the label \"high\""):
        talweg.Model(age, texts, levels=[*names[:2], "top"], **options)
    with pytest.raises(talweg.InputError, match="the ordinal3 likelihood has 3 levels, but 2 were given"):
        talweg.Model(age, texts, levels=names[:2], **options)


def test_probabilities_of_levels(program):
    """P(y = j) = Phi((c_j - m)/s) - Phi((c_(j-1) - m)/s), s^2 = 1 + v, and the same numbers from the program."""
    age, _, _ = people()
    level = np.digitize(age + 0.3 * np.sin(9 * age), [-0.7, 0.6]) + 1
    options = dict(likelihood="ordinal3", cut=-0.8, gap2=1.5)
    fit = talweg.approx(age, level, log_ell=0.0, log_sigma=0.5, **options)
    new = np.linspace(-3, 3, 7)
    found = talweg.predict(fit, new)
    cuts = np.array([-np.inf, -0.8, 0.7, np.inf])
    below = [[0.5 * math.erfc((m - c) / math.sqrt(2 * (1 + v))) for c in cuts] for m, v in zip(found.mean, found.variance)]
    np.testing.assert_allclose(found.probabilities, np.diff(below), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.probabilities @ [1, 2, 3], found.y_mean, rtol=1e-13)
    words = "--likelihood ordinal3 --cut -0.8 --gap2 1.5 --log-ell 0 --log-sigma 0.5 --save-approx levels.json --force"
    program(age, level, "approx", *words.split())
    np.save(program.folder / "new.npy", new[:, np.newaxis])
    there = program.call("predict", "levels.json", "new.npy", "--quiet", "--json")["predictions"]
    columns = np.column_stack([there[f"probability_{k}"] for k in (1, 2, 3)])
    np.testing.assert_allclose(found.probabilities, columns, rtol=0, atol=1e-14)


@pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")  # few draws
def test_probabilities_of_levels_from_draws():
    age, _, _ = people()
    level = np.digitize(age + 0.3 * np.sin(9 * age), [-0.7, 0.6]) + 1
    draws = talweg.sample(age, level, likelihood="ordinal3", log_ell=0.0, log_sigma=0.5, chains=2, draws=50, warmup=50, method="ess")
    found = talweg.predict(draws, [0.1, 2.5])
    assert found.probabilities.shape == (2, 3)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1, rtol=1e-13)
    np.testing.assert_allclose(found.probabilities @ [1, 2, 3], found.y_mean, rtol=1e-12)


@pytest.mark.parametrize(
    "change, words",
    [
        (dict(X=[["a"], [None], ["b"]]), "X, input 1 must be numbers, or text in every row: row 2 is None"),
        (dict(y=["a", "b", 3.0]), "y must be numbers, or text in every row: row 3 is 3.0"),
        (dict(y=["a", "b", ""]), "row 3 is ''"),
        (dict(y=["a", "b", "c"]), "labels of two classes"),
        (dict(positive="d"), "no label is \"d\""),
        (dict(levels=["a", "b"]), "levels cannot be used with the probit likelihood"),
        (dict(X=[["a"], ["b"], ["b"]]), "text"),  # which se cannot use
    ],
)
def test_what_is_refused(change, words):
    arguments = {"X": [[1.0], [2.0], [3.0]], "y": ["a", "b", "a"], "log_ell": 0.0, "log_sigma": 0.0, **change}
    with pytest.raises(talweg.InputError, match=words):
        talweg.Model(**arguments)
