//! The API as data, in terms that every language has.

use serde_json::Value;

use crate::name::Name;

/// Everything that an SDK is generated from.
#[derive(Clone, Debug)]
pub struct Model {
    /// Groups of operations, in the order of their names.
    pub resources: Vec<Resource>,
    /// Named types, in the order of their names. Lists, errors and the envelopes of events are not among them.
    pub types: Vec<Type>,
    /// Event types, in the order of their names.
    pub events: Vec<EventType>,
    /// The values of an error's `code`.
    pub error_codes: Vec<String>,
}

impl Model {
    /// Every operation, in the order of the resources.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.resources.iter().flat_map(|resource| &resource.operations)
    }

    /// The named type. Panics if there is none: a shape names only types of its model.
    pub fn named(&self, name: &str) -> &Type {
        let found = self.types.iter().find(|each| each.name == name);
        found.unwrap_or_else(|| panic!("there is no type {name}"))
    }
}

/// Operations of one kind of thing: `client.contacts`.
#[derive(Clone, Debug)]
pub struct Resource {
    pub name: Name,
    pub operations: Vec<Operation>,
}

/// One call: `client.contacts.create(…)`.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The operation's name in the API: `createContact`.
    pub id: String,
    /// The resource that it belongs to.
    pub resource: Name,
    /// Its name in its resource, which no other operation of the resource has: `create`.
    pub name: Name,
    pub summary: String,
    /// Details in Markdown; may be empty.
    pub notes: String,
    /// In upper case: `POST`.
    pub method: String,
    /// From the root, with placeholders: `/api/v1/contacts/{id}`.
    pub path: String,
    /// The placeholders of the path, in their order.
    pub path_params: Vec<PathParam>,
    /// The query's parameters, without those of pages.
    pub query: Vec<QueryParam>,
    pub body: Option<Body>,
    pub response: Response,
    /// The status of success.
    pub status: u16,
    /// What a call takes from the key's budget.
    pub units: u32,
    /// The scope that the key needs; none if any key may call it.
    pub scope: Option<String>,
    /// Whether it takes an `Idempotency-Key`.
    pub idempotent: bool,
    pub sample: Sample,
}

impl Operation {
    /// Whether it may be repeated although it is unknown whether the first attempt had an effect. A second PATCH with the
    /// same fields changes nothing.
    pub fn is_repeatable(&self) -> bool {
        self.idempotent || self.method != "POST"
    }
}

#[derive(Clone, Debug)]
pub struct PathParam {
    /// Its name in the path: `id`.
    pub placeholder: String,
    /// Its name as an argument, which says whose id it is: `contact_id`.
    pub name: Name,
    pub shape: Shape,
}

#[derive(Clone, Debug)]
pub struct QueryParam {
    /// As it is sent.
    pub key: String,
    pub docs: String,
    pub shape: Shape,
    pub required: bool,
}

#[derive(Clone, Debug)]
pub enum Body {
    /// The named type, as JSON.
    Json { type_name: String, required: bool },
    /// A file, as the part `file` of a form.
    File,
}

#[derive(Clone, Debug)]
pub enum Response {
    /// `{ "data": … }`
    Data(Shape),
    /// `{ "data": [ … ], "meta": … }`; with pages, it takes `cursor` and `limit`.
    List { item: Shape, paginated: bool },
    /// Server-sent events without an end.
    EventStream,
}

/// The values that a field, a parameter or an element has.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Text,
    /// A text with one of these words; later versions may have more.
    Words(Vec<String>),
    /// A UUID, as text.
    Id,
    /// RFC 3339, as text: `2026-01-31T09:30:00.000Z`.
    Moment,
    /// As text: `2026-01-31`.
    Date,
    Uri,
    Boolean,
    /// A whole number that fits into 64 bits.
    Integer,
    Number,
    /// Any JSON.
    Any,
    Named(String),
    List(Box<Shape>),
    /// Keys are texts.
    Map(Box<Shape>),
    /// The value, or null.
    Nullable(Box<Shape>),
}

/// A named type.
#[derive(Clone, Debug)]
pub struct Type {
    pub name: String,
    /// In Markdown; may be empty.
    pub docs: String,
    pub kind: Kind,
    /// Whether requests contain it.
    pub is_sent: bool,
    /// Whether responses or events contain it. Such a type may get further fields, words and variants later.
    pub is_received: bool,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Object(Vec<Field>),
    /// A text with one of these words. Where it is received, later versions may have more.
    Words(Vec<String>),
    /// One of several objects.
    Union(Union),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub docs: String,
    pub shape: Shape,
    /// Whether it is always there. It may still be null, if its shape says so.
    pub required: bool,
    /// The only value of a text, by which its type is told from the other variants of a union.
    pub constant: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Union {
    /// The field by which variants are told apart. Without one, they are told apart by their required fields.
    pub tag: Option<String>,
    pub variants: Vec<Variant>,
}

#[derive(Clone, Debug)]
pub struct Variant {
    /// The value of the tag, if the union has one.
    pub word: Option<String>,
    pub type_name: String,
}

/// An event type. Its envelope has `event_id`, `event_type`, `created_at`, `account_id`, `api_version` and `data`.
#[derive(Clone, Debug)]
pub struct EventType {
    /// `contact.created`
    pub name: String,
    /// The name of its envelope: `ContactCreatedEvent`.
    pub type_name: String,
    pub docs: String,
    /// The type of `data`.
    pub data: Shape,
    /// A whole envelope.
    pub example: Value,
}

/// A call that succeeds, once the placeholders have values.
///
/// A placeholder is a text that begins with `$`, such as `$contact_id`: the id of something in the caller's account.
/// It may stand for a path parameter and anywhere in the query and the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The values of the path's parameters, in their order.
    pub path: Vec<Value>,
    /// Parameters of the query, by key.
    pub query: Vec<(String, Value)>,
    pub body: Option<Value>,
}

/// The name of the placeholder that a value is: `contact_id` for `"$contact_id"`.
pub fn placeholder(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix('$')
}

impl Sample {
    /// The names of its placeholders, in the order in which they first stand, each once.
    pub fn placeholders(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for value in self.path.iter().chain(self.query.iter().map(|(_, value)| value)).chain(&self.body) {
            collect(value, &mut found);
        }
        found
    }
}

fn collect<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    if let Some(name) = placeholder(value)
        && !found.contains(&name)
    {
        found.push(name);
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}
