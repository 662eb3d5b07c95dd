//! What the placeholders of a sample stand for.

use frontdesk::Uuid;
use serde_json::Value;

pub(crate) struct Values<'v>(pub(crate) &'v Value);

impl Values<'_> {
    pub(crate) fn id(&self, name: &str) -> Result<Uuid, String> {
        self.text(name)?.parse().map_err(|_| format!("{name} is no id"))
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, String> {
        self.0[name].as_str().ok_or_else(|| format!("there is no {name}"))
    }
}
