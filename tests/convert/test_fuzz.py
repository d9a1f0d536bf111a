"""A few hundred mutations per reader; `fuzz.py` runs more."""

import importlib.util
import random
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("fuzz", Path(__file__).parent / "fuzz.py")
fuzz = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(fuzz)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(fuzz.READERS))
def test_mutations_are_read_or_refused(name):
    run = fuzz.READERS[name]
    try:
        run(random.Random(0))  # imports take their time
    except ImportError as error:
        pytest.skip(str(error))
    except ValueError:
        pass
    outcomes = [fuzz.tried(run, random.Random(seed)) for seed in range(300)]
    assert "read" in outcomes
