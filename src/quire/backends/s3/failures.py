"""What obstore says when a request fails, as one of a few outcomes and as errors of our tree."""

from __future__ import annotations

import enum
import re

from quire.errors import AccessDenied, NotFound, StorageError, StorageFailed, StorageFull, Unavailable


class Outcome(enum.Enum):
    """What became of one request."""

    DONE = "done"
    REFUSED = "refused"  # the condition did not hold, or nothing is there; nothing was changed
    MISSING = "missing"
    UNSENT = "unsent"  # no connection, so the server has not seen it
    LOST = "lost"  # sent, and no answer that says whether it was carried out
    DENIED = "denied"
    NO_BUCKET = "no bucket"
    FULL = "full"
    FAILED = "failed"  # an answer that will be the same next time


PASSING = (Outcome.UNSENT, Outcome.LOST)  # worth another try

_STATUS = re.compile(r"status code: (\d{3})")
_XML = re.compile(r"<(Code|Message)>([^<]{1,300})<")
_BY_NAME = {
    "AlreadyExistsError": Outcome.REFUSED,
    "PreconditionError": Outcome.REFUSED,
    "PermissionDeniedError": Outcome.DENIED,
    "UnauthenticatedError": Outcome.DENIED,
}
_BY_STATUS = {
    401: Outcome.DENIED,
    403: Outcome.DENIED,
    404: Outcome.MISSING,
    408: Outcome.LOST,
    409: Outcome.REFUSED,
    412: Outcome.REFUSED,
    429: Outcome.LOST,
    501: Outcome.FAILED,
    507: Outcome.FULL,
}


def outcome_of(error: Exception) -> Outcome:
    """What an exception of obstore stands for.

    obstore has one class for most failures, so the status and the kind are read from its text.
    """
    text = str(error)
    if isinstance(error, FileNotFoundError):
        return outcome_of_status(404, text)
    if type(error).__name__ in _BY_NAME:
        return _BY_NAME[type(error).__name__]
    status = _STATUS.search(text)
    if status:
        return outcome_of_status(int(status[1]), text)
    if "kind: Connect" in text:
        return Outcome.UNSENT
    # Whatever else went wrong on the wire: cut, timed out, garbled.
    if "HttpError" in text or "HTTP error" in text or "reqwest" in text:
        return Outcome.LOST
    return Outcome.FAILED


def outcome_of_status(status: int, body: str) -> Outcome:
    """What an HTTP status stands for."""
    if status == 404 and "NoSuchBucket" in body:
        return Outcome.NO_BUCKET
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status < 300:
        return Outcome.DONE
    return Outcome.LOST if status >= 500 else Outcome.FAILED


def failure(outcome: Outcome, where: str, text: str) -> StorageError:
    """The error of our tree for a request that changed nothing and is given up."""
    said = _summary(text)
    if outcome is Outcome.NO_BUCKET:
        return NotFound("there is no such bucket", where=where, remedy="Create it, or correct the url")
    if outcome is Outcome.DENIED:
        return AccessDenied(
            f"the server denies access: {said}",
            where=where,
            remedy="Check the access key, the secret key, the clock, and the rights on the bucket",
        )
    if outcome in PASSING:
        return Unavailable(
            f"the server does not answer: {said}",
            where=where,
            remedy="Check the endpoint, the network and the credentials, then retry",
        )
    if outcome is Outcome.FULL:
        return StorageFull(f"the server has no room: {said}", where=where, remedy="Make room, then retry")
    if "invalid path" in text:
        return StorageFailed(
            f"the server names an object that no path can spell: {said}",
            where=where,
            remedy="Rename or remove that object with the tool that put it there",
        )
    return StorageFailed(
        f"the server refuses the request: {said}",
        where=where,
        remedy="Check the region and the endpoint; nothing was changed",
    )


def _summary(text: str) -> str:
    """The server's own words where there are some, else the first line of obstore's."""
    words = [match[2] for match in _XML.finditer(text)]
    return ": ".join(words[:2]) if words else text.partition("\n")[0][:300].rstrip(". ")
