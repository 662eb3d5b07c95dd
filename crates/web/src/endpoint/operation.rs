//! The description of an operation, from its signature.

use serde_json::Value;

use crate::schema::Components;

/// Filled in by the arguments and the result of an operation.
#[derive(Debug, Default)]
pub struct Operation {
    pub components: Components,
    pub(crate) path: Vec<Value>,
    pub(crate) query: Vec<Value>,
    pub(crate) payload: Option<Payload>,
    pub(crate) response: Option<Value>,
    pub(crate) paginated: bool,
}

/// A request's body.
#[derive(Debug)]
pub struct Payload {
    pub schema: Value,
    pub optional: bool,
}

impl Operation {
    pub fn new(components: Components) -> Self {
        Self { components, ..Self::default() }
    }

    /// The schema of the path's next placeholder.
    pub fn path(&mut self, schema: Value) {
        self.path.push(schema);
    }

    /// Parameter objects of the query.
    pub fn query(&mut self, parameters: Vec<Value>) {
        self.query.extend(parameters);
    }

    pub fn payload(&mut self, payload: Payload) {
        self.payload = Some(payload);
    }

    /// Its response is one page of a list, found by `cursor` and `limit`.
    pub fn paginated(&mut self) {
        self.paginated = true;
    }

    /// The schema of the whole response, including the envelope.
    pub fn response(&mut self, schema: Value) {
        self.response = Some(schema);
    }
}
