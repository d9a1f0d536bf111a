"""Small data of the Sentiment experiment and its result, made once for all tests."""

import pytest

from sentences import write_data
from treemetric.experiments import run_sentiment


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Files of trees and of vectors."""
    return write_data(tmp_path_factory.mktemp("sentiment"))


@pytest.fixture(scope="session")
def found(data):
    """The result of a quick run."""
    return run_sentiment(*data, quick=True)
