"""The conda recipe says what pyproject.toml says, and rattler-build understands it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "recipe"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def requirement(text):
    """A requirement of PyPI's as conda writes it."""
    name = next(at for at, letter in enumerate(f"{text}>") if letter in "<>=")
    return f"{text[:name]} {text[name:]}".strip()


def outputs():
    return yaml.safe_load((RECIPE / "recipe.yaml").read_text())["outputs"]


def test_what_running_needs_is_what_the_package_of_PyPI_needs():
    requirements = outputs()[0]["requirements"]
    assert set(requirements["run"]) == {"python", *map(requirement, PROJECT["dependencies"])}
    extras = PROJECT["optional-dependencies"]
    assert set(requirements["run_constraints"]) == set(map(requirement, [*extras["bfloat16"], *extras["special"]]))


def test_what_building_needs_is_what_the_build_system_names():
    system = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert set(map(requirement, system)) <= set(outputs()[0]["requirements"]["host"])


def test_every_version_of_python_is_made():
    made = [str(version).split(".*")[0] for version in yaml.safe_load((RECIPE / "variants.yaml").read_text())["python"]]
    classified = [text.split(" :: ")[-1] for text in PROJECT["classifiers"] if " :: Python :: 3." in text]
    assert made == classified


def test_the_package_of_cuda_asks_for_a_driver_and_the_libraries_of_the_extras():
    run = outputs()[1]["requirements"]["run"]
    assert "__cuda >=${{ cuda_major }}" in run
    for name in ("cublas", "cufft", "cusolver", "nvrtc", "nvjitlink", "nvfatbin", "curand", "cccl"):
        assert any(name in each for each in run), name


def test_rattler_build_renders_every_variant():
    rattler_build = pytest.importorskip("rattler_build")
    recipe = rattler_build.Stage0Recipe.from_yaml((RECIPE / "recipe.yaml").read_text())
    platform = rattler_build.PlatformConfig(target_platform="linux-64")
    variants = rattler_build.VariantConfig.from_file(RECIPE / "variants.yaml")
    rendered = recipe.render(variants, rattler_build.RenderConfig(platform=platform))
    packages = {(each.recipe.package.name, each.recipe.to_dict()["build"]["string"]) for each in rendered}
    assert len([name for name, _ in packages if name == "tessera"]) == 4
    assert {text for name, text in packages if name == "tessera-cuda"} == {"cuda12_0", "cuda13_0"}
