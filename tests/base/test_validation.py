"""The check of integers that all parameters share."""

import numpy as np
import pytest

from treemetric._base.validation import check_int, check_seed


@pytest.mark.parametrize("value", [1, np.int8(1), np.uint64(1), 2**63 - 1])
def test_ints_of_python_and_numpy(value):
    found = check_int(value, "k", "owner")
    assert type(found) is int
    assert found == value


@pytest.mark.parametrize("value", [0, -1, 1.0, True, np.True_, "1", None, [1], float("nan")])
def test_anything_else_is_refused(value):
    message = r"^The 'k' parameter of owner must be an int in the range \[1, inf\)\. Got "
    with pytest.raises(ValueError, match=message):
        check_int(value, "k", "owner")


@pytest.mark.parametrize("value", [2**63, 10**30])
def test_ints_beyond_64_bits_are_refused(value):
    with pytest.raises(ValueError, match=rf"in the range \[1, {2**63 - 1}\]\. Got "):
        check_int(value, "k", "owner")


def test_ranges_and_other_values_are_named():
    assert check_int(0, "k", "owner", least=0, most=3) == 0
    with pytest.raises(ValueError, match=r"an int in the range \[0, 3\]\. Got 4 instead"):
        check_int(4, "k", "owner", least=0, most=3)
    with pytest.raises(ValueError, match=r"must be None or an int in the range \[2, inf\)"):
        check_int(1, "k", "owner", least=2, other="None")


@pytest.mark.parametrize("seed", [-1, 2**32, 0.0, False, None])
def test_seeds_are_those_of_numpy(seed):
    assert check_seed(np.int64(2**32 - 1), "owner") == 2**32 - 1
    with pytest.raises(ValueError, match=r"'seed' parameter .* \[0, 4294967295\]"):
        check_seed(seed, "owner")
