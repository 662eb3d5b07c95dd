"""Verifies deliveries with the Standard Webhooks library from PyPI: verify.py FILE

FILE is a list of { secret, headers, body, now }, where `now` is null or what the clock shall show in Unix seconds.
Prints a list: "genuine", or why not.
"""

import json
import sys
from datetime import datetime

from standardwebhooks import webhooks


def clock(now):
    """The library's idea of the time, for deliveries of a server whose clock was moved."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(now, tz)

    return Clock


def verdict(case):
    webhooks.datetime = datetime if case["now"] is None else clock(case["now"])
    try:
        webhooks.Webhook(case["secret"]).verify(case["body"], case["headers"])
        return "genuine"
    except webhooks.WebhookVerificationError as error:
        return f"refused: {error}"


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([verdict(case) for case in json.load(file)]))
