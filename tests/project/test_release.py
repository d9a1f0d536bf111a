"""The files that hosts and registries read: versions, workflows, licences, metadata."""

import json
import re
import shutil
import tomllib
from importlib import util
from pathlib import Path

import pytest

import treemetric as tm
from children import CalledProcessError, run, run_command
from treemetric._base import versions

ROOT = Path(__file__).parents[2]
if not (ROOT / "DESIGN.md").exists():
    pytest.skip("these files are not part of a source distribution", allow_module_level=True)

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
YAML = [
    *WORKFLOWS,
    *sorted((ROOT / ".github").rglob("ISSUE_TEMPLATE/*.yml")),
    ROOT / ".github" / "dependabot.yml",
    ROOT / ".pre-commit-config.yaml",
    ROOT / "CITATION.cff",
]


def script(name):
    """Import a script of the folder ``.ci``."""
    spec = util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def toml(name):
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def parsed(path):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def needs(job):
    """Return the names of the jobs that a job waits for."""
    found = job.get("needs", [])
    return {found} if isinstance(found, str) else set(found)


# --- tag, CHANGELOG and version ------------------------------------------------------

check_release = script("check_release")


def test_this_repository_is_consistent():
    assert check_release.problems(ROOT) == []
    assert tm.__version__ == toml("Cargo.toml")["package"]["version"]


@pytest.fixture
def project(tmp_path):
    """Return a function that writes a small project, of version 1.2.0 unless it says otherwise."""

    def write(changelog, version="1.2.0", locked=None, dynamic=True, urls=True):
        package = '[package]\nname = "treemetric"\nversion = "{}"\n'
        (tmp_path / "Cargo.toml").write_text(package.format(version))
        (tmp_path / "Cargo.lock").write_text(
            "[" + package.format(locked or version).replace("]", "]]").strip("\n")
        )
        lines = ["[project]", 'dynamic = ["version"]' if dynamic else f'version = "{version}"']
        if urls:
            lines += ["[project.urls]", 'Source = "https://example.org"']
        (tmp_path / "pyproject.toml").write_text("\n".join(lines))
        (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\nText.\n\n{changelog}\n")
        return tmp_path

    return write


OLD = "## 1.1.0 - 2026-01-31\n\n- Old.\n"
READY = f"## 1.2.0 - 2026-02-28\n\n- New.\n\n{OLD}"


@pytest.mark.parametrize(
    ("changelog", "tag"),
    [
        ("## Unreleased\n\n- New.", None),
        (f"## Unreleased\n\n- New.\n\n{OLD}", None),
        (READY, None),
        (READY, "v1.2.0"),
        (f"## Unreleased\n\n{READY}", "v1.2.0"),
        ("## 1.2.0 - 2026-02-28\n\n- First.", "v1.2.0"),
    ],
)
def test_states_that_agree(project, changelog, tag):
    assert check_release.problems(project(changelog), tag) == []


@pytest.mark.parametrize(
    ("changelog", "tag", "expected"),
    [
        ("", None, "CHANGELOG.md has no sections"),
        (OLD, None, "Cargo.toml has version 1.2.0, CHANGELOG.md has 1.1.0"),
        (f"## Unreleased\n\n{OLD}", None, "Cargo.toml has version 1.2.0, CHANGELOG.md has 1.1.0"),
        (
            f"## Unreleased\n\n- Newer.\n\n{READY}",
            None,
            "changes are unreleased, but version 1.2.0 is not above 1.2.0",
        ),
        ("## 1.2.0", None, "CHANGELOG.md has the section '1.2.0' where"),
        (f"{READY}\n## Unreleased\n", None, "CHANGELOG.md has the section 'Unreleased' where"),
        (f"{OLD}\n{READY}", None, "the versions in CHANGELOG.md must fall from top to bottom"),
        (READY, "1.2.0", "the tag must be 'v1.2.0', got '1.2.0'"),
        (READY, "v1.2.1", "the tag must be 'v1.2.0', got 'v1.2.1'"),
        ("## Unreleased\n\n- New.", "v1.2.0", "CHANGELOG.md has unreleased changes"),
        ("## 1.2.0 - 2026-02-28\n", "v1.2.0", "CHANGELOG.md does not describe version 1.2.0"),
    ],
)
def test_states_that_disagree(project, changelog, tag, expected):
    found = check_release.problems(project(changelog), tag)
    assert any(problem.startswith(expected) for problem in found), found


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"locked": "1.1.0"}, "Cargo.toml has version 1.2.0, Cargo.lock has 1.1.0"),
        ({"dynamic": False}, "pyproject.toml must take its version from Cargo.toml"),
        ({"version": "1.2"}, "the version in Cargo.toml must have the form X.Y.Z, got '1.2'"),
        ({"urls": False}, "pyproject.toml needs [project.urls] with the address of the repository"),
    ],
)
def test_files_that_disagree(project, options, expected):
    assert check_release.problems(project(READY, **options), "v1.2.0") == [expected]


def test_versions_are_compared_as_numbers(project):
    changelog = "## 1.10.0 - 2026-02-28\n\n- New.\n\n## 1.9.0 - 2026-01-31\n\n- Old."
    assert check_release.problems(project(changelog, version="1.10.0"), "v1.10.0") == []


# --- files in YAML -------------------------------------------------------------------


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_yaml_can_be_parsed(path):
    assert isinstance(parsed(path), dict)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_complete(path):
    workflow = parsed(path)
    # YAML 1.1 reads the key "on" as true.
    assert {"name", True, "permissions", "jobs"} <= set(workflow)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert needs(job) <= set(workflow["jobs"]), name
        if "uses" in job:  # another workflow of this repository
            assert (ROOT / job["uses"]).is_file(), name
            continue
        assert job["timeout-minutes"] > 0, name
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), (name, step)
            # A tag can be moved to other code; a hash cannot.
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]), (name, step)
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False, (name, step)
            # What others choose, as the name of a tag, never becomes part of a script.
            assert "${{ github" not in step.get("run", ""), (name, step)


def test_actions_have_one_version():
    """An action has the same hash everywhere, and the version is written beside it."""
    found = {}
    for path in WORKFLOWS:
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.search(r"uses: ([\w-]+/[\w-]+)@(.*)", line):
                found.setdefault(match[1], set()).add(match[2])
    assert {len(pins) for pins in found.values()} == {1}
    pins = [pin for same in found.values() for pin in same]
    assert [pin for pin in pins if not re.fullmatch(r"\w{40} # v\d+\.\d+\.\d+", pin)] == []


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / ".pre-commit-config.yaml"])
def test_commands_of_workflows_exist(path):
    text = path.read_text(encoding="utf-8")
    targets = set(re.findall(r"\bmake ([a-z-]+)", text))
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert targets <= known
    scripts = set(re.findall(r"(?<![\w/])\.ci/[\w.-]+", text))
    assert [name for name in scripts if not (ROOT / name).exists()] == []
    assert targets | scripts


def test_only_the_last_job_may_publish():
    jobs = parsed(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    # Not from a workflow that was started by hand, on a tag or not.
    condition = "github.event_name == 'push' && startsWith(github.ref, 'refs/tags/v')"
    assert jobs["publish"]["if"] == condition
    assert needs(jobs["publish"]) == set(jobs) - {"publish"}
    assert [name for name, job in jobs.items() if not needs(job)] == ["check"]


def test_a_release_has_passed_the_tests_of_a_change():
    jobs = parsed(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    assert jobs["tests"]["uses"] == "./.github/workflows/ci.yml"
    ci = parsed(ROOT / ".github" / "workflows" / "ci.yml")
    assert "workflow_call" in ci[True]


def test_wheels_that_are_published_are_counted():
    """Each system has a wheel of the stable ABI and a free-threaded one."""
    jobs = parsed(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    systems = [
        *jobs["linux"]["strategy"]["matrix"]["target"],
        *jobs["desktop"]["strategy"]["matrix"]["os"],
    ]
    counts = re.findall(r"-eq (\d+)", jobs["publish"]["steps"][1]["run"])
    assert [int(count) for count in counts] == [2 * len(systems), 2 * len(systems) + 1]
    # The wheels and the source are what the last job collects; reports of tests are not.
    names = [
        step["with"]["name"]
        for job in jobs.values()
        for step in job.get("steps", [])
        if step.get("uses", "").startswith("actions/upload-artifact")
    ]
    assert len(names) == 3
    assert all(name.startswith("dist-") for name in names)
    assert jobs["publish"]["steps"][0]["with"]["pattern"] == "dist-*"


def test_the_citation_has_no_second_version():
    citation = parsed(ROOT / "CITATION.cff")
    assert citation["license"] == toml("Cargo.toml")["package"]["license"]
    assert "version" not in citation


# --- metadata ------------------------------------------------------------------------


def test_classifiers_name_the_supported_versions():
    project = toml("pyproject.toml")["project"]
    oldest = int(project["requires-python"].removeprefix(">=3."))
    pattern = re.compile(r"Programming Language :: Python :: 3\.(\d+)")
    listed = [
        int(found[1]) for text in project["classifiers"] if (found := pattern.fullmatch(text))
    ]
    assert listed == list(range(oldest, oldest + len(listed)))
    assert listed[-1] >= 14
    assert f"abi3-py3{oldest}" in toml("Cargo.toml")["dependencies"]["pyo3"]["features"]
    # The workflow for releases tests each of them.
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert all(f"python3.{minor}" in release for minor in listed)


def test_versions_of_all_dependencies_are_reported():
    project = toml("pyproject.toml")["project"]
    required = [re.match(r"[\w-]+", text)[0] for text in project["dependencies"]]
    assert sorted(required) == sorted(versions._REQUIRED)
    extras = {
        re.match(r"[\w-]+", e)[0] for es in project["optional-dependencies"].values() for e in es
    }
    assert extras <= {*versions._OPTIONAL, *required}


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_licences_of_dependencies_are_allowed():
    options = "--locked --offline --format-version 1 --all-features"
    try:
        done = run_command("cargo", "metadata", *options.split(), cwd=ROOT)
    except CalledProcessError:
        pytest.skip("the dependencies for all systems are not downloaded (cargo fetch)")
    allowed = set(toml("deny.toml")["licenses"]["allow"])
    refused = {}
    for package in json.loads(done.stdout)["packages"]:
        # Licences are "A OR B", "A/B", "(A OR B) AND C": one of each group must be allowed.
        text = package["license"].replace("/", " OR ")
        for group in re.split(r"\s+AND\s+", text):
            choices = {name.strip(" ()") for name in re.split(r"\s+OR\s+", group)}
            if not any(name.partition(" WITH ")[0] in allowed for name in choices):
                refused[package["name"]] = package["license"]
    assert refused == {}


# --- the smoke test of wheels --------------------------------------------------------


def test_the_smoke_test_of_wheels_passes():
    done = run(ROOT / ".ci" / "smoke.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("all results are as expected\n")
