//! Results of operations: one resource, or a list of them.

use bytes::Bytes;
use frontdesk_kernel::Id;
use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::Operation;
use crate::describe::Describe;
use crate::reply::Reply;

/// A result that can be sent.
pub trait IntoReply {
    fn describe(operation: &mut Operation);

    fn reply(self, status: StatusCode) -> Reply;
}

/// A single resource: `{ "data": … }`.
#[derive(Clone, Copy, Debug)]
pub struct Data<T>(pub T);

impl<T: Serialize + Describe> IntoReply for Data<T> {
    fn describe(operation: &mut Operation) {
        let data = T::schema(&mut operation.components);
        operation.response(json!({ "type": "object", "required": ["data"], "properties": { "data": data } }));
    }

    fn reply(self, status: StatusCode) -> Reply {
        Reply::new(status, data_bytes(&self.0))
    }
}

/// Exactly the body that [`Data`] sends.
pub fn data_bytes<T: Serialize + ?Sized>(data: &T) -> Bytes {
    #[derive(Serialize)]
    struct Envelope<'a, T: ?Sized> {
        data: &'a T,
    }

    bytes_of(&Envelope { data })
}

/// The capacity for a usual page, so that it is not reallocated.
const BYTES_USUAL: usize = 16 << 10;

pub(crate) fn bytes_of<T: Serialize>(value: &T) -> Bytes {
    let mut bytes = Vec::with_capacity(BYTES_USUAL);
    serde_json::to_writer(&mut bytes, value)
        .expect("what is sent has text for keys and years that can be written");
    bytes.into()
}

crate::describe::resource! {
    /// A deleted resource.
    pub struct Deleted {
        /// The id of the deleted resource.
        pub id: Uuid,
        /// Always true.
        pub deleted: bool,
    }
}

impl Deleted {
    pub fn new<T: ?Sized>(id: Id<T>) -> Self {
        Self { id: id.uuid(), deleted: true }
    }
}
