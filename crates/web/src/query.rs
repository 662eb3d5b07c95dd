//! Query strings, and the filters that lists take from them.
//!
//! An unknown parameter is ignored. A parameter that is empty or of the wrong form is a bad request that
//! names it; one of the right form that breaks a limit is a validation error. An empty search (`q`) filters
//! nothing.

mod pairs;
mod params;

use frontdesk_kernel::Text;
use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::problems::Problems;
use crate::schema::{Components, described};

pub use pairs::Pairs;

/// A value that can be read from a query parameter's text.
pub trait Param: Sized {
    /// Parses the text. An error says what the value must be: "must be true or false".
    fn parse(text: &str) -> std::result::Result<Self, String>;

    /// A limit that a value of the right form may still break.
    fn limit(_text: &str) -> std::result::Result<(), String> {
        Ok(())
    }

    fn schema(components: &mut Components) -> Value;
}

/// The filters of one list.
pub trait Filters: Sized {
    /// Reads them. A broken limit is reported and reading continues; a wrong form ends it.
    fn gather(query: &Pairs<'_>, problems: &mut Problems) -> Result<Option<Self>>;

    /// The parameters' names, in the order they were declared.
    fn names() -> &'static [&'static str];

    /// OpenAPI's parameter objects.
    fn parameters(components: &mut Components) -> Vec<Value>;

    fn read(query: &Pairs<'_>) -> Result<Self> {
        let mut problems = Problems::new();
        let filters = Self::gather(query, &mut problems)?;
        filters.ok_or_else(|| Failure::validation(problems))
    }
}

/// A list without filters.
impl Filters for () {
    fn gather(_: &Pairs<'_>, _: &mut Problems) -> Result<Option<Self>> {
        Ok(Some(()))
    }

    fn names() -> &'static [&'static str] {
        &[]
    }

    fn parameters(_: &mut Components) -> Vec<Value> {
        Vec::new()
    }
}

/// One field of a [`Filters`] struct.
pub trait Filter: Sized {
    fn gather(query: &Pairs<'_>, name: &str, problems: &mut Problems) -> Result<Option<Self>>;

    fn schema(components: &mut Components) -> Value;
}

impl<P: Param> Filter for Option<P> {
    fn gather(query: &Pairs<'_>, name: &str, problems: &mut Problems) -> Result<Option<Self>> {
        let Some(text) = given(query, name)? else { return Ok(Some(None)) };
        if let Err(message) = P::limit(text) {
            problems.add(name, message);
            return Ok(None);
        }
        match P::parse(text) {
            Ok(value) => Ok(Some(Some(value))),
            Err(message) => Err(wrong_shape(name, &message)),
        }
    }

    fn schema(components: &mut Components) -> Value {
        P::schema(components)
    }
}

/// The search parameter. If it is empty, it filters nothing.
const SEARCH: &str = "q";

/// The parameter's trimmed value, if it is given. Only a search may be empty.
pub(crate) fn given<'q>(query: &'q Pairs<'_>, name: &str) -> Result<Option<&'q str>> {
    match query.given(name) {
        None if query.get(name).is_some() && name != SEARCH => Err(wrong_shape(name, "must not be empty")),
        given => Ok(given),
    }
}

/// The failure of a parameter with a wrong value or form. The message says what it must be.
pub fn wrong_shape(name: &str, message: &str) -> Failure {
    Failure::bad_request(format!("The query parameter {name} {message}. Correct it or leave it out."))
}

/// A query parameter in OpenAPI.
#[doc(hidden)]
pub fn parameter(name: &str, doc: &str, mut schema: Value) -> Value {
    if name == SEARCH
        && let Some(schema) = schema.as_object_mut()
    {
        schema.remove("minLength");
        schema.insert("pattern".to_owned(), Text::<1>::PATTERN_OR_BLANK.into());
    }
    described(json!({ "name": name, "in": "query", "required": false, "schema": schema }), doc)
}

/// Declares the filters of a list. Every field is an `Option` of a [`Param`].
#[macro_export]
macro_rules! filters {
    (
        $(#[$($attribute:tt)*])*
        $visible:vis struct $name:ident {
            $($(#[$($field_attribute:tt)*])* $field_visible:vis $field:ident : $kind:ty),* $(,)?
        }
    ) => {
        $(#[$($attribute)*])*
        #[derive(Debug, Clone)]
        $visible struct $name {
            $($(#[$($field_attribute)*])* $field_visible $field: $kind),*
        }

        impl $crate::Filters for $name {
            fn gather(
                query: &$crate::Pairs<'_>,
                problems: &mut $crate::Problems,
            ) -> $crate::Result<Option<Self>> {
                $(
                    let $field = <$kind as $crate::query::Filter>::gather(
                        query,
                        $crate::schema::bare(stringify!($field)),
                        problems,
                    )?;
                )*
                Ok((|| Some(Self { $($field: $field?),* }))())
            }

            fn names() -> &'static [&'static str] {
                const NAMES: &[&str] = &[$($crate::schema::bare(stringify!($field))),*];
                NAMES
            }

            fn parameters(components: &mut $crate::Components) -> Vec<$crate::Value> {
                vec![$(
                    $crate::query::parameter(
                        $crate::schema::bare(stringify!($field)),
                        &$crate::schema::prose(&[$($crate::attribute!($($field_attribute)*)),*]),
                        <$kind as $crate::query::Filter>::schema(components),
                    )
                ),*]
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::{Id, Phone, Timestamp};

    enum Tag {}

    crate::choice! {
        enum Status { Open => "open", Closed => "closed" }
    }

    filters! {
        /// Filters.
        struct Sample {
            /// Any part of the name.
            q: Option<Text<5>>,
            tag_id: Option<Id<Tag>>,
            phone: Option<Phone>,
            since: Option<Timestamp>,
            unread: Option<bool>,
            r#type: Option<Status>,
            count: Option<i64>,
        }
    }

    fn read(query: &str) -> Result<Sample> {
        Sample::read(&Pairs::parse(query))
    }

    fn said(query: &str) -> String {
        read(query).unwrap_err().to_string()
    }

    #[test]
    fn filters_are_read_and_the_rest_is_ignored() {
        let id = "01890000-0000-7000-8000-000000000001";
        let filters = read(&format!(
            "q=+an%C3%BC+&tag_id={id}&phone=+5511987654321&since=2026-01-31T14:00:00+02:00&unread=true&type=closed&count=-3&cursor=x&zzz"
        ))
        .unwrap();
        assert_eq!(filters.q.unwrap().as_str(), "anü");
        assert_eq!(filters.tag_id.unwrap().to_string(), id);
        assert_eq!(filters.phone.unwrap().as_str(), "+5511987654321");
        assert_eq!(filters.since.unwrap().to_string(), "2026-01-31T12:00:00.000Z");
        assert_eq!(
            (filters.unread, filters.r#type, filters.count),
            (Some(true), Some(Status::Closed), Some(-3))
        );
        assert_eq!(Sample::names(), ["q", "tag_id", "phone", "since", "unread", "type", "count"]);
    }

    #[test]
    fn an_empty_filter_is_a_bad_request_unless_it_is_a_search() {
        for empty in ["tag_id=%20", "tag_id=", "phone=+", "since", "unread=", "type=", "count=%09"] {
            let name = empty.split('=').next().unwrap();
            let wanted = format!("400 bad_request: The query parameter {name} must not be empty");
            let said = said(empty);
            assert!(said.starts_with(&wanted), "{said}");
        }
        for empty in ["q", "q=", "q=%20"] {
            assert!(read(empty).unwrap().q.is_none(), "{empty}");
        }
    }

    #[test]
    fn a_wrong_shape_is_a_bad_request_that_names_the_parameter() {
        for (query, message) in [
            ("tag_id=x", "The query parameter tag_id must be a UUID"),
            ("since=x", "The query parameter since must be a date-time"),
            ("unread=1", "The query parameter unread must be true or false"),
            ("type=OPEN", "The query parameter type must be one of open, closed"),
            ("count=1.5", "The query parameter count must be a whole number"),
            ("phone=me", "The query parameter phone must be a phone number"),
            ("q=%00", "The query parameter q must not contain the NUL"),
        ] {
            let said = said(query);
            assert!(said.starts_with(&format!("400 bad_request: {message}")), "{said}");
        }
    }

    #[test]
    fn a_text_too_long_is_a_validation_error_at_its_name() {
        let failure = read("q=longer").unwrap_err();
        assert_eq!(failure.code(), "validation_error");
        let reply = failure.render(&crate::RequestId::from_uuid(uuid::Uuid::nil()));
        let body: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(
            body["error"]["details"],
            json!([{ "path": "q", "message": "must have at most 5 characters" }])
        );
    }

    #[test]
    fn parameters_are_described() {
        let parameters = Sample::parameters(&mut Components::new());
        assert_eq!(
            parameters[0],
            json!({
                "name": "q", "in": "query", "required": false, "description": "Any part of the name.",
                "schema": { "type": "string", "maxLength": 5, "pattern": Text::<5>::PATTERN_OR_BLANK },
            })
        );
        assert_eq!(parameters[5]["schema"], json!({ "$ref": "#/components/schemas/Status" }));
    }
}
