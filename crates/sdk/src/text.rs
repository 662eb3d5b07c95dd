//! Pieces of text, put together.

/// The texts of all items, one after the other.
pub(crate) fn each<I: IntoIterator>(items: I, write: impl FnMut(I::Item) -> String) -> String {
    items.into_iter().map(write).collect()
}
