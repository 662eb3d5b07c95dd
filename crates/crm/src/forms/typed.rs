//! What was typed into a form, to show it again.

use frontdesk_web::Result;

use super::submission::form_values;

/// Marks a submission from the hosted page.
pub(super) const HOSTED: &str = "_hosted";

/// The submitted fields, in order.
#[derive(Debug, Default)]
pub(super) struct FormValues(Vec<(String, String)>);

impl FormValues {
    /// Nothing was typed yet, on the hosted page.
    pub(super) fn hosted() -> Self {
        Self(vec![(HOSTED.to_owned(), "1".to_owned())])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Reads a form-encoded body, unless it has too many values to be shown again. `referrer` is the page of the form.
    pub(super) fn read(body: &[u8], referrer: Option<&str>) -> Result<Self> {
        let body = String::from_utf8_lossy(body);
        let pairs = form_values(&body)?;
        let typed: Vec<_> =
            pairs.iter().map(|(name, value)| (name.trim().to_owned(), value.to_owned())).collect();
        let mut typed = Self(typed);
        if typed.is_hosted() || typed.first("source_url").or_else(|| typed.first("_source")).is_some() {
            return Ok(typed);
        }
        // The next request comes from the hosted page, and must still name the first one.
        typed.0.extend(referrer.map(|page| ("_source".to_owned(), page.to_owned())));
        Ok(typed)
    }

    pub(super) fn first(&self, wanted: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.as_str())
    }

    pub(super) fn is_hosted(&self) -> bool {
        self.first(HOSTED).is_some()
    }
}
