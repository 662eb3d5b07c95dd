"""Lists. Iterating goes over all rows and requests the pages as it comes to them; a single page is at hand as well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .response import Response

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some rows of a list."""

    data: list[T]
    next_cursor: str | None
    """Pass it as `cursor` to continue after this page; none on the last one."""
    has_more: bool
    limit: int
    response: Response = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class Pager(Generic[T]):
    """The rows of a list. Nothing is requested before it is used, and each use starts at the beginning."""

    def __init__(self, fetch: Callable[[str | None], Page[T]], cursor: str | None = None) -> None:
        self._fetch = fetch
        self._cursor = cursor

    def __iter__(self) -> Iterator[T]:
        """All rows."""
        for page in self.pages():
            yield from page.data

    def pages(self) -> Iterator[Page[T]]:
        """All pages."""
        page = self.page()
        yield page
        while page.next_cursor:
            page = self._fetch(page.next_cursor)
            yield page

    def page(self) -> Page[T]:
        """The first page, or the one at `cursor`."""
        return self._fetch(self._cursor)

    def first(self) -> T | None:
        """The first row; none if there is none."""
        return next(iter(self.page().data), None)


class AsyncPager(Generic[T]):
    """The rows of a list. Nothing is requested before it is used, and each use starts at the beginning."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[Page[T]]], cursor: str | None = None) -> None:
        self._fetch = fetch
        self._cursor = cursor

    async def __aiter__(self) -> AsyncIterator[T]:
        """All rows."""
        async for page in self.pages():
            for item in page.data:
                yield item

    async def pages(self) -> AsyncIterator[Page[T]]:
        """All pages."""
        page = await self.page()
        yield page
        while page.next_cursor:
            page = await self._fetch(page.next_cursor)
            yield page

    async def page(self) -> Page[T]:
        """The first page, or the one at `cursor`."""
        return await self._fetch(self._cursor)

    async def first(self) -> T | None:
        """The first row; none if there is none."""
        return next(iter((await self.page()).data), None)
