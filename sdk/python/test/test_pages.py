"""Lists: all rows, pages, and where they begin."""

from __future__ import annotations

import itertools

import pytest
from stand_in import BROKEN, KEY, Asked, Reply, StandIn, error, page

from frontdesk import BadRequestError, Frontdesk

TAG = {"name": "vip", "color": "#2563eb", "created_at": "x", "updated_at": "x"}


def tag(number: int) -> dict[str, str]:
    return {**TAG, "id": str(number)}


def three_pages(asked: Asked) -> Reply:
    """Rows 1 to 5, two at a time. The cursor is the number of the next one."""
    begin = int(asked.query.get("cursor", "1"))
    rows = [tag(number) for number in range(begin, min(begin + 2, 6))]
    return page(rows, str(begin + 2) if begin + 2 <= 5 else None, 2)


def test_iterating_goes_over_all_pages_with_the_same_filters() -> None:
    with StandIn(three_pages) as server, Frontdesk(KEY, server.url) as client:
        listed = client.contacts.list(q="ann", limit=2)
        assert server.asked == []
        assert [contact.id for contact in listed] == ["1", "2", "3", "4", "5"]
        assert [asked.query for asked in server.asked] == [
            {"q": "ann", "limit": "2"},
            {"q": "ann", "limit": "2", "cursor": "3"},
            {"q": "ann", "limit": "2", "cursor": "5"},
        ]


def test_nothing_is_requested_that_is_not_used() -> None:
    with StandIn(three_pages) as server, Frontdesk(KEY, server.url) as client:
        assert [contact.id for contact in itertools.islice(client.contacts.list(), 2)] == ["1", "2"]
        assert len(server.asked) == 1
        first = client.contacts.list().first()
        assert first is not None and first.id == "1"


def test_a_page_is_at_hand() -> None:
    with StandIn(three_pages) as server, Frontdesk(KEY, server.url) as client:
        first = client.contacts.list().page()
        assert [contact.id for contact in first] == ["1", "2"] and len(first) == 2
        assert (first.has_more, first.next_cursor, first.limit) == (True, "3", 2)
        second = client.contacts.list(cursor=first.next_cursor).page()
        assert [contact.id for contact in second.data] == ["3", "4"]
        assert [len(each) for each in client.contacts.list().pages()] == [2, 2, 1]
        assert second.response.status == 200


def test_a_list_without_pages_and_an_empty_one_are_lists_as_well() -> None:
    with StandIn(page([tag(1)]), page([])) as server, Frontdesk(KEY, server.url) as client:
        assert [each.id for each in client.tags.list()] == ["1"]
        assert client.tags.list().first() is None


def test_a_page_that_breaks_off_is_requested_again_and_no_row_comes_twice() -> None:
    replies = [page([tag(1)], "2"), BROKEN, Reply(200, page([tag(2)]).body, breaks_inside=True), page([tag(2)])]
    with StandIn(*replies) as server, Frontdesk(KEY, server.url) as client:
        assert [contact.id for contact in client.contacts.list()] == ["1", "2"]
        assert len(server.asked) == 4


def test_a_cursor_that_is_refused_ends_the_walk_with_the_error() -> None:
    with StandIn(page([tag(1)], "x"), error(400, "bad_request")) as server, Frontdesk(KEY, server.url) as client:
        rows = iter(client.contacts.list())
        assert next(rows).id == "1"
        with pytest.raises(BadRequestError):
            next(rows)
