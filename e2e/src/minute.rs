//! The minute that budgets are counted in.

use std::ops::Deref;

use serde_json::json;

use crate::app::App;
use crate::engine::{Engine, Given};

/// A running server whose clock can be moved.
#[derive(Debug)]
pub struct Clocked(App);

impl Given for Clocked {
    fn given(engine: Engine) -> Self {
        Self(App::start(engine).movable_clock().ready())
    }
}

impl Deref for Clocked {
    type Target = App;

    fn deref(&self) -> &App {
        &self.0
    }
}

impl App {
    /// Moves the clock to the beginning of the next minute: what follows has a whole minute to be counted in one window.
    /// The server was started with a movable clock.
    #[track_caller]
    pub fn begin_minute(&self) {
        let clock = self.anonymous().vendors();
        let advance = |seconds: u64| {
            let moved = clock.post("/sandbox/clock", json!({ "advance_seconds": seconds })).expect(200);
            moved.data()["now"].as_str().expect("a moment").to_owned()
        };
        let now = advance(0);
        // Such as 2026-01-31T14:00:42.123Z.
        let second: u64 = now["2026-01-31T14:00:".len()..][..2].parse().expect("a second");
        advance(60 - second);
    }
}
