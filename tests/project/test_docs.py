"""Every public name is documented in numpydoc's form, with an example."""

import inspect
import re
import types

import pytest

import treemetric as tm

validate = pytest.importorskip("numpydoc.validate")
docscrape = pytest.importorskip("numpydoc.docscrape")

# No docstring, parameters missing, unknown or in another order, no example.
CODES = {"GL08", "PR01", "PR02", "PR03", "EX01"}


def public_names(module):
    """Names of a module with its public submodules, as numpydoc wants them."""
    for name in module.__all__:
        item = getattr(module, name)
        if isinstance(item, types.ModuleType):
            if hasattr(item, "__all__"):
                yield from public_names(item)
        elif callable(item):
            yield f"{module.__name__}.{name}", item


def public_members(name, cls):
    """Methods and properties a class defines or takes from a base of ours."""
    for member, value in inspect.getmembers_static(cls):
        # Requests for metadata are made by scikit-learn.
        if member.startswith("_") or re.fullmatch("set_[a-z]+_request", member):
            continue
        owner = next(base for base in cls.__mro__ if member in vars(base))
        if owner.__module__.partition(".")[0] == "treemetric":
            yield f"{name}.{member}", value


NAMES = dict(public_names(tm))
CLASSES = {name: item for name, item in NAMES.items() if inspect.isclass(item)}
MEMBERS = dict(pair for name, cls in CLASSES.items() for pair in public_members(name, cls))
METHODS = {
    name: value
    for name, value in MEMBERS.items()
    if inspect.isroutine(value) or isinstance(value, classmethod | staticmethod)
}


def test_all_lists_what_exists():
    assert tm.__all__
    assert len(set(tm.__all__)) == len(tm.__all__)
    assert all(hasattr(tm, name) for name in tm.__all__)
    assert [name for name in dir(tm) if not name.startswith("_")] == sorted(tm.__all__)
    for module in (tm.compat, tm.distributed, tm.kernels, tm.testing):
        shown = [name for name in dir(module) if not name.startswith("_")]
        assert shown == sorted(module.__all__), module.__name__


def test_an_unknown_name_can_be_corrected():
    with pytest.raises(AttributeError, match="has no attribute 'pairwise_distance'") as caught:
        tm.pairwise_distance  # noqa: B018
    # From both, Python proposes a name that is spelled similarly.
    assert caught.value.name == "pairwise_distance"
    assert caught.value.obj is tm


def test_modules_have_a_docstring():
    modules = [tm, *(m for m in vars(tm).values() if isinstance(m, types.ModuleType))]
    ours = [m for m in modules if m.__name__.startswith("treemetric") and "._" not in m.__name__]
    assert len(ours) > 1
    assert [m.__name__ for m in ours if not (m.__doc__ or "").strip()] == []


@pytest.mark.parametrize("name", [*NAMES, *METHODS])
def test_a_public_name_is_documented(name):
    item = NAMES.get(name)
    # The fields of a named tuple are documented as attributes.
    is_record = inspect.isclass(item) and issubclass(item, tuple)
    codes = CODES - {"PR01"} if is_record else CODES
    found = validate.validate(name)["errors"]
    assert [f"{code} {text}" for code, text in found if code in codes] == []


@pytest.mark.parametrize("name", [name for name in MEMBERS if name not in METHODS])
def test_an_attribute_is_documented(name):
    owner, _, attribute = name.rpartition(".")
    section = docscrape.ClassDoc(CLASSES[owner])["Attributes"]
    listed = {part for entry in section for part in entry.name.split(", ")}
    assert attribute in listed or (inspect.getdoc(MEMBERS[name]) or "").strip()
