//! Web chat: our own channel, a widget on somebody's website.

use frontdesk_platform::door::{Answer, nothing_here};
use frontdesk_platform::{Door, Means, Visit};
use frontdesk_web::Result;

use crate::connections::Line;

pub const STATEMENTS: &[(&str, &str)] = &[];

/// The door to the widget's script.
pub fn door() -> Door {
    Door::new("widget.js", 1 << 10, |_, _| Box::pin(async { Err(nothing_here()) }))
}

/// What a visitor of a website asks of one connection.
pub(crate) async fn answer(_means: &Means, _line: Line, _rest: &[String], _visit: Visit) -> Result<Answer> {
    Err(nothing_here())
}
