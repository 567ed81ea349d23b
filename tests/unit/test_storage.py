"""S3 by AWS's own variables, as properties of a catalog."""

import doctest

import pytest

from lakemirror import storage
from lakemirror.storage import StorageError, with_s3

CATALOG = {"type": "jdbc", "uri": "jdbc:postgresql://h/db", "warehouse": "s3://bucket/lake"}
FILE_IO = {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO"}
KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hush"}


def test_examples():
    assert doctest.testmod(storage).failed == 0


def test_all_of_the_environment():
    place = {"AWS_ENDPOINT_URL": "http://s3.shop:9000", "AWS_REGION": "eu-1"}
    assert with_s3(CATALOG, place | KEYS | {"AWS_SESSION_TOKEN": "t"}) == CATALOG | FILE_IO | {
        "s3.endpoint": "http://s3.shop:9000",
        "s3.path-style-access": "true",
        "client.region": "eu-1",
        "s3.access-key-id": "id",
        "s3.secret-access-key": "hush",
        "s3.session-token": "t",
    }


def test_what_is_not_there_is_left_to_aws():
    assert with_s3(CATALOG, {"AWS_REGION": ""}) == CATALOG | FILE_IO


def test_the_profile_goes_over_the_environment():
    """Keys are of one of the two, and never mixed."""
    own = {
        "s3.access-key-id": "mine",
        "s3.secret-access-key": "mine",
        "client.region": "eu-2",
        "s3.path-style-access": "false",
    }
    given = KEYS | {
        "AWS_SESSION_TOKEN": "t",
        "AWS_REGION": "eu-1",
        "AWS_ENDPOINT_URL": "http://s3.shop",
    }
    endpoint = {"s3.endpoint": "http://s3.shop"}
    assert with_s3(CATALOG | own, given) == CATALOG | own | FILE_IO | endpoint


@pytest.mark.parametrize(
    "catalog",
    [
        CATALOG | {"warehouse": "/shared/lake"},
        CATALOG | {"io-impl": "org.apache.iceberg.hadoop.HadoopFileIO"},
        {"type": "rest", "uri": "https://x", "warehouse": "prod"},
    ],
)
def test_a_lake_that_is_not_on_s3(catalog):
    assert with_s3(catalog, KEYS) == catalog


@pytest.mark.parametrize("lacking", KEYS)
def test_half_a_pair(lacking):
    half = {name: value for name, value in KEYS.items() if name != lacking}
    with pytest.raises(StorageError, match="AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are a"):
        with_s3(CATALOG, half)


def test_a_token_alone():
    with pytest.raises(StorageError, match="a session token belongs to one"):
        with_s3(CATALOG, {"AWS_SESSION_TOKEN": "t"})
