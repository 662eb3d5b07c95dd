//! One operation as a method.

use super::arguments::{self, Argument};
use super::hints::hint_received;
use super::place::Imports;
use super::text::{docstring, enclosed, literal, name, room, sentence};
use crate::model::{Body, Kind, Model, Operation, Response, Shape};

/// Which of the two classes of a resource.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Twin {
    /// It blocks its thread.
    Blocking,
    /// It is awaited.
    Async,
}

impl Twin {
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Blocking => "",
            Self::Async => "Async",
        }
    }

    pub(super) fn base(self) -> &'static str {
        match self {
            Self::Blocking => "Resource",
            Self::Async => "AsyncResource",
        }
    }

    pub(super) fn module(self) -> &'static str {
        match self {
            Self::Blocking => "..._runtime.client",
            Self::Async => "..._runtime.async_client",
        }
    }
}

/// The indentation of a method, and of what is in it.
const METHOD: usize = 4;
const INSIDE: usize = 8;

/// An operation as a method of one of the classes.
pub(super) struct Method<'m> {
    operation: &'m Operation,
    twin: Twin,
    /// The arguments for the path.
    path: Vec<Argument>,
    /// The arguments with names that are sent: the query's, or the body's.
    sent: Vec<Argument>,
    /// The fields of each variant, if the body is one of several objects.
    variants: Vec<Vec<Argument>>,
    /// The arguments that the package itself reads.
    own: Vec<Argument>,
    returns: String,
    /// What the result is made as.
    item: String,
}

impl<'m> Method<'m> {
    pub(super) fn of(model: &'m Model, operation: &'m Operation, twin: Twin, imports: &mut Imports) -> Self {
        let mut sent: Vec<Argument> =
            operation.query.iter().map(|param| arguments::of_query(param, imports)).collect();
        let mut variants = Vec::new();
        if let Some(Body::Json { type_name, .. }) = &operation.body {
            assert!(sent.is_empty(), "{} has a query and a body", operation.id);
            match &model.named(type_name).kind {
                Kind::Object(fields) => sent = arguments::of_body(fields, imports),
                Kind::Union(union) => variants = arguments::of_variants(model, union, imports),
                Kind::Words(_) => panic!("the body of {} is no object", operation.id),
            }
        }
        let mut method = Self {
            path: arguments::of_path(operation, &sent, &variants),
            operation,
            twin,
            sent,
            variants,
            own: arguments::own(operation, imports),
            returns: String::new(),
            item: String::new(),
        };
        method.item = method.item(model, imports);
        method.returns = method.returns(imports);
        method
    }

    /// The type of the result, or of a row.
    fn item(&self, model: &Model, imports: &mut Imports) -> String {
        match &self.operation.response {
            Response::Data(shape) | Response::List { item: shape, .. } => {
                hint_received(shape, model, imports)
            }
            Response::EventStream => {
                hint_received(&Shape::Named(super::place::EVENT.to_owned()), model, imports)
            }
        }
    }

    fn returns(&self, imports: &mut Imports) -> String {
        let generic = match self.operation.response {
            Response::Data(_) => return self.item.clone(),
            Response::EventStream => {
                let name = format!("{}EventStream", self.twin.prefix());
                imports.add("..._runtime.event_stream", &name);
                name
            }
            Response::List { .. } if self.is_read() => {
                let name = format!("{}Pager", self.twin.prefix());
                imports.add("..._runtime.pages", &name);
                name
            }
            Response::List { .. } => {
                imports.add("..._runtime.pages", "Page");
                "Page".to_owned()
            }
        };
        format!("{generic}[{}]", self.item)
    }

    fn is_read(&self) -> bool {
        self.operation.method == "GET"
    }

    /// Whether it is a coroutine. Lists and streams request when they are iterated.
    fn is_awaited(&self) -> bool {
        let later = match self.operation.response {
            Response::Data(_) => false,
            Response::List { .. } => self.is_read(),
            Response::EventStream => true,
        };
        self.twin == Twin::Async && !later
    }

    pub(super) fn code(&self) -> String {
        if self.variants.is_empty() {
            let signature = self.signature(&self.sent);
            return format!("{signature}\n{}{}", self.docs(&self.sent), self.body());
        }
        let overloads = self.variants.iter().map(|fields| {
            let signature = self.signature(fields);
            format!("    @overload\n{signature}\n{}\n", self.docs(fields))
        });
        let overloads = overloads.collect::<Vec<_>>().concat();
        format!("{overloads}{}\n{}", self.signature_of_any(), self.body())
    }

    fn signature(&self, sent: &[Argument]) -> String {
        let named: Vec<String> = sent.iter().chain(&self.own).map(Argument::code).collect();
        self.head(named, None)
    }

    /// The signature behind overloads.
    fn signature_of_any(&self) -> String {
        self.head(self.own.iter().map(Argument::code).collect(), Some("**body: Any"))
    }

    fn head(&self, mut named: Vec<String>, rest: Option<&str>) -> String {
        let mut arguments = vec!["self".to_owned()];
        arguments.extend(self.path.iter().map(Argument::code));
        let is_file = matches!(self.operation.body, Some(Body::File));
        if is_file {
            arguments.push(named.remove(0));
        }
        if !named.is_empty() {
            arguments.push("*".to_owned());
        }
        arguments.extend(named);
        arguments.extend(rest.map(str::to_owned));
        let begin = if self.is_awaited() { "async def" } else { "def" };
        let open = format!("    {begin} {}(", name(&self.operation.name.snake()));
        let close = format!(") -> {}:", self.returns);
        enclosed(&open, &arguments, &close, METHOD, room(0, ""))
    }

    fn docs(&self, sent: &[Argument]) -> String {
        let operation = self.operation;
        let described: Vec<String> = self
            .path
            .iter()
            .chain(sent)
            .chain(&self.own)
            .filter(|argument| !argument.docs.is_empty())
            .map(|argument| format!("    {}: {}", argument.name, argument.docs.replace('\n', " ")))
            .collect();
        let arguments =
            if described.is_empty() { String::new() } else { format!("Args:\n{}", described.join("\n")) };
        let units =
            if operation.units == 1 { String::new() } else { format!("Costs {} units.", operation.units) };
        let scope =
            operation.scope.as_ref().map_or_else(String::new, |scope| format!("Needs the scope `{scope}`."));
        let costs = [scope, units].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        docstring(&[sentence(&operation.summary), operation.notes.clone(), arguments, costs], INSIDE)
    }

    /// The statements.
    fn body(&self) -> String {
        let pad = " ".repeat(INSIDE);
        let operation = self.operation;
        let path = self.path_code();
        match (&operation.response, &operation.body) {
            (Response::EventStream, _) => {
                format!("{pad}return {}(self._client, {}, {path}, after)\n", self.generic(), self.item)
            }
            (Response::List { paginated, .. }, _) if self.is_read() => {
                let mut arguments = vec![self.item.clone(), path];
                let mut entries = self.entries();
                if *paginated {
                    entries.push("\"limit\": limit".to_owned());
                    arguments.push("cursor=cursor".to_owned());
                }
                arguments.extend(Self::dict("query", &entries));
                format!(
                    "{pad}{}\n",
                    enclosed("return self._pager(", &arguments, ")", INSIDE, room(INSIDE, ""))
                )
            }
            (_, Some(Body::File)) => {
                let upload = "upload_of(file, filename, content_type)";
                let call =
                    format!("self._upload({}, {}, {path}, {upload})", self.item, literal(&operation.method));
                format!("{pad}return {}{call}\n", self.await_code())
            }
            _ => self.plain_body(&path),
        }
    }

    fn plain_body(&self, path: &str) -> String {
        let pad = " ".repeat(INSIDE);
        let mut arguments = vec![self.item.clone(), literal(&self.operation.method), path.to_owned()];
        if !self.variants.is_empty() {
            arguments.push("body=body".to_owned());
        } else if self.operation.body.is_some() {
            arguments.extend(Self::dict("body", &self.entries()).or_else(|| Some("body={}".to_owned())));
        } else {
            arguments.extend(Self::dict("query", &self.entries()));
        }
        if self.operation.idempotent {
            arguments.push("idempotency_key=idempotency_key".to_owned());
        }
        let function =
            if matches!(self.operation.response, Response::List { .. }) { "_call_for_page" } else { "_call" };
        let open = format!("return {}self.{function}(", self.await_code());
        format!("{pad}{}\n", enclosed(&open, &arguments, ")", INSIDE, room(INSIDE, "")))
    }

    /// An argument that is a dict of what the caller gave; none if that is nothing.
    fn dict(name: &str, entries: &[String]) -> Option<String> {
        let open = format!("{name}={{");
        (!entries.is_empty()).then(|| enclosed(&open, entries, "}", INSIDE + 4, room(INSIDE + 4, ",")))
    }

    fn await_code(&self) -> &'static str {
        if self.is_awaited() { "await " } else { "" }
    }

    fn generic(&self) -> String {
        format!("{}EventStream", self.twin.prefix())
    }

    fn entries(&self) -> Vec<String> {
        self.sent.iter().map(|argument| format!("{}: {}", literal(&argument.key), argument.name)).collect()
    }

    fn path_code(&self) -> String {
        let path = literal(&self.operation.path);
        if self.path.is_empty() {
            return path;
        }
        let names: Vec<&str> = self.path.iter().map(|argument| argument.name.as_str()).collect();
        format!("path_to({path}, {})", names.join(", "))
    }
}
