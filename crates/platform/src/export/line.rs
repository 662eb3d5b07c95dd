//! Lines of JSON.

use frontdesk_db as db;
use serde::Serialize;

/// A value as one line of JSON. JSON escapes line breaks, so a value is never more than one line.
pub fn line(value: &impl Serialize) -> db::Result<String> {
    serde_json::to_string(value).map_err(|_| db::Error::Decode("row"))
}

/// A resource with further fields after its own. Both are objects.
pub fn line_with(resource: &impl Serialize, more: LineFields) -> db::Result<String> {
    let mut text = line(resource)?;
    if !more.0.is_empty() && text.ends_with('}') {
        text.pop();
        text.push(',');
        text.push_str(&more.0);
        text.push('}');
    }
    Ok(text)
}

/// Fields of an object, in the order in which they are added.
#[derive(Debug, Default)]
pub struct LineFields(String);

impl LineFields {
    pub fn with(mut self, name: &str, value: &impl Serialize) -> db::Result<Self> {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(&line(&name)?);
        self.0.push(':');
        self.0.push_str(&line(value)?);
        Ok(self)
    }

    /// The object.
    pub fn finish(self) -> String {
        format!("{{{}}}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_resource_keeps_its_fields_and_gets_more() {
        let more = LineFields::default().with("b", &"two\nlines").unwrap().with("c", &None::<i64>).unwrap();
        let line = line_with(&json!({ "a": 1 }), more).unwrap();
        assert_eq!(line, r#"{"a":1,"b":"two\nlines","c":null}"#);
        let nothing = line_with(&json!({ "a": 1 }), LineFields::default()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&nothing).unwrap(), json!({ "a": 1 }));
        assert_eq!(LineFields::default().finish(), "{}");
    }
}
