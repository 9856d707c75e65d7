# SPDX-License-Identifier: BSD-3-Clause
"""A wheel needs nothing but Python: it works in a fresh environment without a compiler."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from dyad import _core

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]  # one build at a time
pytest.importorskip("scikit_build_core", reason="wheels are built by scikit-build-core")

SOURCE = Path(__file__).parents[2]

SMOKE = """
import shutil, sys
import numpy as np
import dyad

assert dyad.__file__.startswith(sys.prefix), dyad.__file__
assert shutil.which("c++") is shutil.which("g++") is shutil.which("cc") is None
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3))
y = np.repeat(["a", "b"], 150)
X[y == "b", 1] += 2 * X[y == "b", 0]
model = dyad.SLBClassifier().fit(X, y)
assert model.score(X, y) > 0.6
model.save("model.dyad")
assert (dyad.SLBClassifier.load("model.dyad").predict(X) == model.predict(X)).all()
"""


def run(*command, **more):
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, **more)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
    run(
        *pip,
        "--no-deps",
        "--no-build-isolation",
        "--config-settings=build-dir=build",
        "--wheel-dir",
        folder,
        SOURCE,
    )
    return next(folder.glob("dyad_slb-*.whl"))


def test_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {"dyad/__init__.py", "dyad/_core.pyi", "dyad/_estimators.pyi", "dyad/py.typed"} <= set(names)
    allowed = r"dyad/(plot/)?[\w.-]+$|dyad_slb-[\d.]+\.dist-info/|dyad_slb-[\d.]+\.data/scripts/dyad$"
    assert all(re.match(allowed, name) for name in names), names
    assert any(name.endswith(".data/scripts/dyad") for name in names)
    assert any(name.endswith("LICENSE") for name in names)


def test_wheel_requires_numpy_scikit_learn_and_narwhals_only(wheel):
    with zipfile.ZipFile(wheel) as archive:
        metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(metadata).decode().splitlines()
    required = [line for line in lines if line.startswith("Requires-Dist: ") and "extra ==" not in line]
    names = {re.match(r"Requires-Dist: ([\w-]+)", line)[1] for line in required}
    assert names == {"narwhals", "numpy", "scikit-learn"}


def test_source_distribution_has_neither_data_nor_experiments(tmp_path):
    build = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", build, tmp_path, cwd=SOURCE)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        folders = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert {"dyad", "python", "pyproject.toml"} <= folders
    assert not {"bench", "data", "experiments"} & folders


def test_stubs_have_all_names_of_the_module(wheel):
    with zipfile.ZipFile(wheel) as archive:
        statements = ast.parse(archive.read("dyad/_core.pyi")).body
    stubs = {getattr(each, "name", None) or ast.unparse(getattr(each, "target", each)) for each in statements}
    assert {name for name in vars(_core) if not name.startswith("_")} | {"__version__"} <= stubs


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
def test_module_needs_only_what_every_linux_has(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        module = next(name for name in archive.namelist() if name.endswith(".so"))
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", archive.extract(module, tmp_path)))
    allowed = {"libc.so.6", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}
    assert "libc.so.6" in needed
    assert set(needed) <= allowed


def test_wheel_works_in_a_fresh_environment(wheel, tmp_path):
    venv.create(tmp_path / "fresh", with_pip=True)
    python = tmp_path / "fresh/bin/python"
    alone = {**os.environ, "PATH": str(python.parent)}
    alone.pop("PYTHONPATH", None)
    run(python, "-m", "pip", "--disable-pip-version-check", "install", wheel, env=alone)
    run(python, "-c", SMOKE, cwd=tmp_path, env=alone)
    assert "agree with the stored result" in run(python, "-m", "dyad.selftest", cwd=tmp_path, env=alone)
    assert run(python.parent / "dyad", "--version", env=alone) == f"dyad {_core.__version__}\n"
