//! The arguments of a method.

use super::hints::{hint_of_field, hint_sent};
use super::place::Imports;
use super::text::{name, sentence};
use crate::model::{Body, Field, Kind, Model, Operation, PathParam, QueryParam, Response, Union};

/// An argument.
pub(super) struct Argument {
    /// As it is sent.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) hint: String,
    /// None if the argument is required.
    pub(super) default: Option<&'static str>,
    pub(super) docs: String,
}

impl Argument {
    pub(super) fn code(&self) -> String {
        let default = self.default.map_or_else(String::new, |default| format!(" = {default}"));
        format!("{}: {}{default}", self.name, self.hint)
    }
}

/// The arguments for the path. One that has the name of a field is `id`, because names are used once.
pub(super) fn of_path(operation: &Operation, sent: &[Argument], variants: &[Vec<Argument>]) -> Vec<Argument> {
    let taken =
        |name: &str| sent.iter().chain(variants.iter().flatten()).any(|argument| argument.name == name);
    let argument = |param: &PathParam| {
        let own = param.name.snake();
        let name = if taken(&own) { "id".to_owned() } else { own };
        assert!(!taken(&name), "{} has two arguments named {name}", operation.id);
        Argument {
            key: param.placeholder.clone(),
            name,
            hint: "str".to_owned(),
            default: None,
            docs: String::new(),
        }
    };
    operation.path_params.iter().map(argument).collect()
}

/// A parameter of the query. Null means nothing there, so it stands for one that is left out.
pub(super) fn of_query(param: &QueryParam, imports: &mut Imports) -> Argument {
    let hint = hint_sent(&param.shape, &param.key, imports);
    let (hint, default) =
        if param.required { (hint, None) } else { (format!("{hint} | None"), Some("None")) };
    Argument { name: name(&param.key), hint, default, docs: sentence(&param.docs), key: param.key.clone() }
}

/// The fields of a body. A field that is left out is not sent; null is.
pub(super) fn of_body(fields: &[Field], imports: &mut Imports) -> Vec<Argument> {
    let argument = |field: &Field| {
        let hint = hint_of_field(field, imports);
        let (hint, default) = if field.required {
            (hint, None)
        } else {
            imports.add("..._runtime.given", "NOT_GIVEN");
            imports.add("..._runtime.given", "NotGiven");
            (format!("{hint} | NotGiven"), Some("NOT_GIVEN"))
        };
        Argument {
            name: name(&field.name),
            hint,
            default,
            docs: sentence(&field.docs),
            key: field.name.clone(),
        }
    };
    fields.iter().map(argument).collect()
}

/// The fields of each object that the body may be.
pub(super) fn of_variants(model: &Model, union: &Union, imports: &mut Imports) -> Vec<Vec<Argument>> {
    imports.add("typing", "Any");
    imports.add("typing", "overload");
    let variants = union.variants.iter().map(|variant| match &model.named(&variant.type_name).kind {
        Kind::Object(fields) => {
            let arguments = of_body(fields, imports);
            assert!(
                arguments.iter().all(|argument| argument.key == argument.name),
                "{} has a field that is a keyword of Python",
                variant.type_name
            );
            arguments
        }
        _ => panic!("{} is no object", variant.type_name),
    });
    variants.collect()
}

/// The arguments that are not sent as they are.
pub(super) fn own(operation: &Operation, imports: &mut Imports) -> Vec<Argument> {
    let text = |name: &str, docs: &str| Argument {
        key: name.to_owned(),
        name: name.to_owned(),
        hint: "str | None".to_owned(),
        default: Some("None"),
        docs: docs.to_owned(),
    };
    let mut own = Vec::new();
    if matches!(operation.body, Some(Body::File)) {
        imports.add("..._runtime.files", "FileContent");
        imports.add("..._runtime.files", "upload_of");
        own.push(Argument {
            hint: "FileContent".to_owned(),
            default: None,
            ..text("file", "Its bytes, a path, or an open file, which is read from its beginning.")
        });
        own.push(text("filename", "Its name; guessed if it is left out."));
        own.push(text("content_type", "Its type; guessed from the name if it is left out."));
    }
    match operation.response {
        Response::List { paginated: true, .. } if operation.method == "GET" => {
            own.push(text("cursor", "Where to begin: `next_cursor` of a page."));
            own.push(Argument {
                hint: "int | None".to_owned(),
                ..text("limit", "How many rows a page has.")
            });
        }
        Response::EventStream => {
            own.push(text("after", "The last event that was received; without it, the stream begins now."));
        }
        _ => {}
    }
    if operation.idempotent {
        own.push(text(
            "idempotency_key",
            "Makes calls with the same key one. Each call makes its own if it is left out.",
        ));
    }
    if !operation.path_params.is_empty() {
        imports.add("..._runtime.encode", "path_to");
    }
    own
}
