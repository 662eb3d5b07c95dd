//! Environment variables that are true or false.

/// A variable that is not set is false.
pub(crate) fn read_switch(name: &str, text: Option<&str>) -> Result<bool, String> {
    match text {
        Some("true" | "1" | "yes") => Ok(true),
        None | Some("false" | "0" | "no") => Ok(false),
        Some(other) => Err(format!("{name} is true or false, not {other:?}")),
    }
}
