//! Which server the test of this thread gets, as the list of tests says.

use std::cell::Cell;

/// A server for a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// One that tests before it may have used.
    Shared,
    /// One that no test has used, without an account.
    Alone,
    /// One that no test has used, with a Demo account.
    Demo,
}

thread_local! {
    static SHARING: Cell<Sharing> = const { Cell::new(Sharing::Shared) };
}

/// The test is listed without a word.
pub fn shared() {
    SHARING.set(Sharing::Shared);
}

/// The test is listed as `alone`.
pub fn alone() {
    SHARING.set(Sharing::Alone);
}

/// The test is listed as `demo`.
pub fn demo() {
    SHARING.set(Sharing::Demo);
}

pub(crate) fn of_this_test() -> Sharing {
    SHARING.get()
}
