"""From a url and options to a bucket: what S3Backend is told, checked before anything is opened."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from quire.errors import InvalidLocatorError, SelectionError
from quire.locator import normalize_key

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")


@dataclass(frozen=True, slots=True)
class Place:
    """A bucket and the prefix in it."""

    bucket: str
    prefix: str

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def parse(url: str) -> Place:
    """The place that `url` names. Raises SelectionError, without repeating what could be a password."""
    remedy = "Write it as s3://bucket or s3://bucket/prefix; keys go into access_key and secret_key"
    if not isinstance(url, str) or not url.startswith("s3://"):
        raise SelectionError("the url does not begin with s3://", where="s3", remedy=remedy, code="BAD_URL")
    bucket, _, prefix = url.removeprefix("s3://").partition("/")
    if not _BUCKET.fullmatch(bucket):
        raise SelectionError("the url does not name a bucket after s3://", where="s3", remedy=remedy, code="BAD_URL")
    try:
        prefix = normalize_key(prefix)
    except InvalidLocatorError as error:
        raise SelectionError(
            f"the url has a prefix that cannot be used: {error.what}", where=f"s3://{bucket}", remedy=remedy,
            code="BAD_URL",
        ) from error  # fmt: skip
    return Place(bucket, prefix)


class Door:
    """How a bucket is reached. What is None comes from the AWS_* variables, read by obstore."""

    def __init__(
        self,
        place: Place,
        *,
        endpoint: str | None,
        region: str | None,
        access_key: str | None,
        secret_key: str | None,
        patience: float,
    ) -> None:
        """Raises SelectionError for half a pair of keys."""
        if (access_key is None) != (secret_key is None):
            lacking = "secret_key" if secret_key is None else "access_key"
            raise SelectionError(
                f"one of the two keys is given, and {lacking} is not", where=str(place), remedy="Give both, or neither",
                code="BAD_OPTION",
            )  # fmt: skip
        self.place = place
        self._address = endpoint or next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), "")
        client: dict[str, Any] = {
            "timeout": timedelta(seconds=patience),
            "connect_timeout": timedelta(seconds=min(5.0, patience)),
        }
        if self._address.startswith("http://"):
            client["allow_http"] = True
        # Its own retries are off: after a lost reply they report a conflict with our own write.
        self._options: dict[str, Any] = {"client_options": client, "retry_config": {"max_retries": 0}}
        if endpoint is not None:
            self._options["endpoint"] = endpoint
        if region is not None:
            self._options["region"] = region
        if access_key is not None:
            # As a provider, so that a session token of the environment is not mixed with keys that are not its own.
            self._options["credential_provider"] = lambda: {
                "access_key_id": access_key,
                "secret_access_key": secret_key,
                "token": None,
                "expires_at": None,
            }

    def open(self, **more: Any) -> Any:
        """An obstore S3Store. Raises SelectionError for options that it does not take."""
        from obstore.exceptions import BaseError
        from obstore.store import S3Store

        try:
            return S3Store(self.place.bucket, **{**self._options, **more})
        except (BaseError, ValueError, TypeError) as error:
            raise SelectionError(
                f"the options do not describe an S3 server: {str(error).partition(chr(10))[0]}", where=str(self.place),
                remedy="Check endpoint, region and the AWS_* variables", code="BAD_OPTION",
            ) from error  # fmt: skip

    def link_to_folder(self, key: str) -> str | None:
        """A signed link that deletes "key/", or None on AWS itself, which keeps no folders.

        obstore drops a final slash from any path, so here the key is made part of the address and the path is empty.
        """
        if not self._address:
            return None
        import obstore

        with_bucket = os.environ.get("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "").lower() in ("true", "1")
        root = self._address.rstrip("/") + ("" if with_bucket else f"/{self.place.bucket}")
        store = self.open(endpoint=f"{root}/{quote(key, safe='/~')}", virtual_hosted_style_request=True)
        return obstore.sign(store, "DELETE", "", timedelta(minutes=5))
