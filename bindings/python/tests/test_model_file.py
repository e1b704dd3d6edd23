"""Models in files: from Python to the program and back, to the same evidence."""

import json
import os
import subprocess

import numpy as np
import pytest

import talweg
from conftest import counts, two_classes
from test_text import people, rows

CLOSE = dict(rtol=1e-12, atol=0)  # inputs that were standardised go to the file with 15 digits


def both(program, path):
    """log Z of EP in the program and in Python, of one model file."""
    there = program.call("approx", "--model", path, "--quiet", "--no-warnings", "--json")["ep"]["log_z"]
    return there, talweg.approx(talweg.Model.load(path)).ep.log_z


def mixed():
    age, sex, sick = people()
    return talweg.Model(rows(1e3 + 20 * age, sex), sick, kernel="se(1, ell=1.5, sigma=2) * categorical(2)", standardise=True)


def exposed():
    X, y = counts(40)
    options = dict(likelihood="negative_binomial", dispersion=2.5, exposure=1 + np.arange(40) % 3, log_ell=0.5, log_sigma=0.2)
    return talweg.Model(X, y, **options)


def given_matrix():
    X, y = two_classes(30)
    return talweg.Model(y=y, kernel_matrix=4 * np.exp(-np.abs(X[:, :1] - X[:, 0])))


def ordinal():
    X, _ = two_classes(40)
    levels = ["low", "in between", "high, or more"]
    texts = np.array(levels)[np.digitize(X[:, 0], [-0.5, 0.7])]
    return talweg.Model(X, texts, likelihood="ordinal3", levels=levels, log_ell=0.3, log_sigma=0.4)


@pytest.mark.parametrize("make", [mixed, exposed, given_matrix])
def test_from_python(program, tmp_path, make):
    model, path = make(), tmp_path / "model.json"
    model.save(path)
    expected = talweg.approx(model).ep.log_z
    np.testing.assert_allclose(both(program, path), [expected, expected], **CLOSE)
    with pytest.raises(talweg.InputError, match="already exists; use force=True"):
        model.save(path)
    again = talweg.Model.load(path)
    again.save(path, force=True)
    np.testing.assert_allclose(both(program, path), [expected, expected], **CLOSE)
    assert again.labels == model.labels and again.likelihood_parameters == model.likelihood_parameters


def test_levels_with_commas_are_for_python_alone(tmp_path):
    model = ordinal()
    with pytest.raises(talweg.InputError, match="comma"):
        model.save(tmp_path / "model.json")


def test_predictions_go_by_name(tmp_path):
    pandas = pytest.importorskip("pandas")
    age, sex, sick = people()
    frame = pandas.DataFrame({"age": age, 'the "sex"': sex})
    model = talweg.Model(frame, sick, positive="no", kernel='se(age, ell=1, sigma=2) + categorical(2)')
    model.save(tmp_path / "model.json")
    again = talweg.Model.load(tmp_path / "model.json")
    assert again.names == model.names and again.labels == ["yes", "no"] and again.categories == model.categories
    fit, other = talweg.approx(model), talweg.approx(again)
    turned = frame[:7][frame.columns[::-1]]
    np.testing.assert_array_equal(talweg.predict(fit, frame[:7]).probability, talweg.predict(other, turned).probability)


def test_columns_that_training_left_out_are_left_out(program, tmp_path):
    pandas = pytest.importorskip("pandas")
    age, sex, sick = people()
    frame = pandas.DataFrame({"age": age, "note": [None, "x"] * 20, "dose": age**2, "sick": sick})
    frame.to_csv(tmp_path / "data.csv", index=False)
    words = "--ignore-column note --log-ell 0 --log-sigma 0".split()
    program.call("sample", tmp_path / "data.csv", *words, *"--method ess --draws 50 --quiet --json -o".split(), tmp_path / "run.nc")
    subprocess.run([program.path, "model", "data.csv", *words, "-o", "model.json"], cwd=tmp_path, check=True)
    new = frame[["note", "dose", "age"]]
    draws = talweg.load(tmp_path / "run.nc")
    for source in (draws, talweg.approx(talweg.Model.load(tmp_path / "model.json"))):
        without = talweg.predict(source, new[["age", "dose"]])
        np.testing.assert_array_equal(talweg.predict(source, new).probability, without.probability)
    assert list(draws.to_xarray("constant_data")["ignored_column"].values) == ["note"]


def test_lengths_go_with_the_names_of_inputs(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = two_classes(30)
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    model = talweg.Model(frame, y, log_ell=[0.0, 1.5], log_sigma=0.5)
    model.save(tmp_path / "model.json")
    frame[["b", "a"]].assign(y=y).to_csv(tmp_path / "swapped.csv", index=False)
    swapped = talweg.Model.load(tmp_path / "model.json", data=tmp_path / "swapped.csv")
    np.testing.assert_allclose(talweg.approx(swapped).ep.log_z, talweg.approx(model).ep.log_z, **CLOSE)


def test_from_the_program(program, tmp_path):
    X, y = counts(40)
    np.savetxt(tmp_path / "data.csv", np.column_stack([X, 1 + np.arange(40) % 3, y]), "%.17g", ",", header="t,exposure,count", comments="")
    path = tmp_path / "model.json"
    words = "--likelihood poisson --exposure-column exposure --kernel se+constant --standardise"
    words += " --prior default --fix constant.variance -o"
    done = subprocess.run([program.path, "model", "data.csv", *words.split(), "model.json"], cwd=tmp_path)
    assert done.returncode == 0
    model = talweg.Model.load(path)
    assert model.priors and model.fixed == ["constant.variance"] and model.names == ["t"]
    np.testing.assert_array_equal(model.columns["exposure"], 1 + np.arange(40) % 3)
    np.testing.assert_allclose(*both(program, path), rtol=1e-14)
    model.save(tmp_path / "other.json")
    written = json.loads((tmp_path / "other.json").read_text())
    assert written["priors"] == model.priors and written["fixed"] == model.fixed
    np.testing.assert_allclose(*both(program, tmp_path / "other.json"), **CLOSE)


def test_fitted_models_keep_their_priors(tmp_path):
    X, y = two_classes(40)
    fitted = talweg.fit(X, y, kernel="se", prior="log_sigma ~ normal(0, 1)", fix="ell=1.5", starts=1)
    fitted.model.save(tmp_path / "fitted.json")
    model = talweg.Model.load(tmp_path / "fitted.json")
    assert model.priors == ["log_sigma ~ normal(0, 1)"] and model.fixed == ["ell"]
    np.testing.assert_array_equal(model.theta, fitted.model.theta)
    assert talweg.approx(model).ep.log_z == talweg.approx(fitted.model).ep.log_z


@pytest.mark.parametrize(
    "root, words",
    [
        ("{", "not a model file"),
        ("[1]", "not a model file"),
        ({"format": "talweg model", "version": 2, "options": {}}, "version"),
        ({"format": "talweg model", "version": 1, "options": {}}, "has no data"),
        ({"options": {"tol": 1}}, "options.tol"),
        ({"options": {"noise": 1}}, "options.noise"),
        ({"options": {"jitter": "much"}}, "options.jitter"),
        ({"options": {}, "priors": "x"}, "priors"),
        ({"data": "none.csv", "options": {}}, "none.csv"),
    ],
)
def test_damaged_files(tmp_path, root, words):
    (tmp_path / "data.csv").write_text("x,y\n1,0\n2,1\n")
    if isinstance(root, dict) and "version" not in root:
        root = {"format": "talweg model", "version": 1, "data": "data.csv", **root}
    path = tmp_path / "model.json"
    path.write_text(root if isinstance(root, str) else json.dumps(root))
    with pytest.raises((talweg.InputError, talweg.FileError), match=words):
        talweg.Model.load(path)


def test_other_data(tmp_path):
    X, y = two_classes(30)
    model = talweg.Model(X, y, log_ell=0.1, log_sigma=0.2)
    model.save(tmp_path / "model.json")
    np.save(tmp_path / "other.npy", np.column_stack([X, y])[:20])
    other = talweg.Model.load(tmp_path / "model.json", data=tmp_path / "other.npy")
    assert other.n == 20 and other.kernel == model.kernel


@pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")
def test_files_keep_their_rights(tmp_path):
    """Of a model and of draws: a private file stays private when it is replaced."""
    X, y = two_classes(20)
    model = talweg.Model(X, y, log_sigma=0.5)
    draws = talweg.sample(model, chains=2, draws=20, warmup=10, method="ess")
    for save, name in ((model.save, "model.json"), (draws.save, "run.nc")):
        path = tmp_path / name
        save(path)
        os.chmod(path, 0o600)
        save(path, force=True)
        assert os.stat(path).st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path)) == ["model.data.csv", "model.json", "run.nc"]
