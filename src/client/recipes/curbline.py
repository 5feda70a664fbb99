"""Curbline from Python, with its standard library alone: calls of the APIs, and the verification of webhooks.

Copy this file. Python 3.9 or later.
"""

import hashlib
import hmac
import json
import re
import time
import urllib.error
import urllib.request

# How far the time of a signature may be from the clock.
TOLERANCE_SECONDS = 300

_FORMS = {
    "reservations": re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})"),
    "direct_delivery": re.compile(r"()([0-9a-f]{64})"),
}


class WebhookRefused(Exception):
    """A request that must not be trusted. `fault` is one of no_signature, malformed_signature, no_match, too_old, not_json."""

    def __init__(self, fault):
        super().__init__(fault)
        self.fault = fault


def verify_webhook(api, body, signature, secrets, tolerance_seconds=TOLERANCE_SECONDS, now=None):
    """Returns the event of a webhook, or raises WebhookRefused.

    `api` is "reservations" or "direct_delivery"; `body` the bytes as they arrived, before JSON is parsed; `signature` the value of
    X-Service-Signature, or None; `secrets` a list of the endpoint's secret, and during a rotation also of the old one. Direct Delivery
    signs no time, so its webhooks have no age. Ignore a request whose X-Service-Delivery-Id was seen before.
    """
    if api not in _FORMS:
        raise ValueError(f"api must be one of {', '.join(sorted(_FORMS))}, is {api!r}")
    if not signature or not signature.strip():
        raise WebhookRefused("no_signature")
    found = _FORMS[api].fullmatch(signature.strip())
    if found is None:
        raise WebhookRefused("malformed_signature")
    seconds, given = found.groups()
    signed = seconds.encode() + b"." + body if seconds else body
    # Every secret is tried, so that the time does not say which one fits.
    matches = [
        hmac.compare_digest(hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest(), given)
        for secret in secrets
    ]
    if not any(matches):
        raise WebhookRefused("no_match")
    now = time.time() if now is None else now
    if seconds and abs(now - int(seconds)) > tolerance_seconds:
        raise WebhookRefused("too_old")
    try:
        event = json.loads(body)
    except ValueError:
        raise WebhookRefused("not_json") from None
    if not isinstance(event, dict):
        raise WebhookRefused("not_json")
    return event


class ApiError(Exception):
    """A refusal of the service: its HTTP status, its code and its answer."""

    def __init__(self, status, answer):
        super().__init__(f"{status} {answer.get('code')}: {answer.get('error')}")
        self.status = status
        self.code = answer.get("code")
        self.answer = answer


class Curbline:
    """Calls of one host under one API key. `site_id` is for the Direct Delivery API."""

    def __init__(self, base_url, key, site_id=None, timeout_seconds=30):
        self._base_url = base_url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}"}
        if site_id is not None:
            self._headers["x-retailer-id"] = site_id
        self._timeout_seconds = timeout_seconds

    def call(self, method, path, body=None, headers=None):
        """Returns the whole answer as a dict, or raises ApiError; without an answer it raises urllib.error.URLError."""
        sent = None if body is None else json.dumps(body).encode()
        kind = {} if sent is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(
            self._base_url + path,
            data=sent,
            method=method,
            headers={**self._headers, **kind, **(headers or {})},
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_seconds) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as refused:
            with refused:
                raise ApiError(refused.code, _answer_in(refused.read())) from None


def _answer_in(text):
    try:
        answer = json.loads(text)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
