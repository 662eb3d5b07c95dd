//! What a sink answers.

use std::fmt::Write;
use std::time::Duration;

/// An answer, or how there is none.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    manner: Timing,
    hangs_up: bool,
}

#[derive(Clone, Copy, Debug)]
enum Timing {
    AtOnce,
    After(Duration),
    Held,
    Closed,
}

impl Default for Reply {
    fn default() -> Self {
        Self::status(200)
    }
}

impl Reply {
    /// This status and an empty body, at once.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new(), manner: Timing::AtOnce, hangs_up: false }
    }

    /// No answer: the connection is closed.
    pub fn closed() -> Self {
        Self { manner: Timing::Closed, ..Self::default() }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// The answer comes so much later.
    pub fn after(self, delay: Duration) -> Self {
        Self { manner: Timing::After(delay), ..self }
    }

    /// The answer comes when the sink lets go of it, or never.
    pub fn held(self) -> Self {
        Self { manner: Timing::Held, ..self }
    }

    /// The connection is closed after the answer, which does not announce it.
    pub fn hang_up(self) -> Self {
        Self { hangs_up: true, ..self }
    }

    pub(super) fn hangs_up(&self) -> bool {
        self.hangs_up
    }

    pub(super) fn is_held(&self) -> bool {
        matches!(self.manner, Timing::Held)
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self.manner, Timing::Closed)
    }

    pub(super) fn delay(&self) -> Duration {
        if let Timing::After(delay) = self.manner { delay } else { Duration::ZERO }
    }

    /// The answer as it goes over the wire.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", self.status);
        let length = ("content-length".to_owned(), self.body.len().to_string());
        // An answer of these statuses has no body, and says so by having no length. A script may tell another one.
        let is_told = self.headers.iter().any(|(name, _)| *name == length.0);
        let length = (!is_told && !matches!(self.status, 204 | 304)).then_some(&length);
        for (name, value) in self.headers.iter().chain(length) {
            write!(head, "{name}: {value}\r\n").expect("a String takes whatever is written to it");
        }
        head.push_str("\r\n");
        [head.as_bytes(), &self.body].concat()
    }
}
