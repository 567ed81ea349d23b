"""S3 as Iceberg, PyIceberg and Hadoop reach it: by AWS's own variables."""

from collections.abc import Mapping

FILE_IO = "org.apache.iceberg.aws.s3.S3FileIO"
SCHEMES = ("s3://", "s3a://", "s3n://")
# Iceberg's properties, and the variables that have them, the first that is set
PLACE: dict[str, tuple[str, ...]] = {
    "s3.endpoint": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
    "client.region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
}
KEYS: dict[str, tuple[str, ...]] = {
    "s3.access-key-id": ("AWS_ACCESS_KEY_ID",),
    "s3.secret-access-key": ("AWS_SECRET_ACCESS_KEY",),
    "s3.session-token": ("AWS_SESSION_TOKEN",),
}


class StorageError(Exception):
    """The environment names half of what S3 needs; says what."""


def is_s3(properties: Mapping[str, str]) -> bool:
    """Whether a catalog's files are read and written by Iceberg's S3FileIO.

    >>> is_s3({"warehouse": "s3://b/w"}), is_s3({"warehouse": "prod", "io-impl": FILE_IO})
    (True, True)
    >>> is_s3({"warehouse": "s3a://b/w", "io-impl": "org.apache.iceberg.hadoop.HadoopFileIO"})
    False
    """
    own = FILE_IO if properties.get("warehouse", "").startswith(SCHEMES) else ""
    return properties.get("io-impl", own) == FILE_IO


def with_s3(properties: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """A catalog's properties and, where its files are on S3, those that the environment has.

    As properties, executors have them too, and PyIceberg. What the properties say goes over the
    environment; keys come from one of the two. Without keys, AWS's other ways hold (roles).

    Raises:
        StorageError: there is half a pair of keys.
    """
    if not is_s3(properties):
        return {**properties}
    names = PLACE if KEYS.keys() & properties.keys() else {**PLACE, **KEYS}
    found = {
        name: value
        for name, variables in names.items()
        if (value := next(filter(None, map(environment.get, variables)), None))
    }
    merged = {"io-impl": FILE_IO, **found, **properties}
    pair = [name for name in [*KEYS][:2] if name in merged]
    if len(pair) == 1 or ("s3.session-token" in merged and not pair):
        raise StorageError(
            "S3: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are a pair, and a session token "
            "belongs to one: set both, or neither"
        )
    if "s3.endpoint" in merged:  # a server's name that has a bucket's before it is rarely known
        merged.setdefault("s3.path-style-access", "true")
    return merged


def hadoop_s3(jars: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Spark's settings for files that are not Iceberg's (recordings, an archive of raw): with
    Hadoop's file system of S3 among the jars, it is that of s3:// too. Spark itself hands it AWS's
    variables.

    >>> hadoop_s3("a.jar:org.apache.hadoop_hadoop-aws-3.4.2.jar", {})
    {'spark.hadoop.fs.s3.impl': 'org.apache.hadoop.fs.s3a.S3AFileSystem'}
    >>> hadoop_s3("a.jar", {"AWS_ENDPOINT_URL": "http://127.0.0.1:9000"})
    {}
    """
    if "org.apache.hadoop_hadoop-aws-" not in jars:
        return {}
    found = {"spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem"}
    if any(map(environment.get, PLACE["s3.endpoint"])):
        found["spark.hadoop.fs.s3a.path.style.access"] = "true"
    return found
