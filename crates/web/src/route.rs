//! Routes as data: path, units, scope and handler of every operation.
//!
//! The same table serves requests and generates the documentation, so every operation is documented. Mistakes
//! in it (a duplicate route, a placeholder that its handler does not take, two operations of one name) panic
//! when the table is built, before the first request.

mod table;

use http::{Method, StatusCode};

use frontdesk_kernel::Scope;

use crate::endpoint::{Endpoint, Handler, Operation};
use crate::failure::{Failure, Result};
use crate::ignored::IGNORED_FIELDS;
use crate::reply::Reply;
use crate::request::Request;

pub use table::{Found, Table};

/// The default cost of a call.
pub const UNITS_DEFAULT: u32 = 1;

/// One operation at one path, relative to the API's prefix. `C` is the caller that its handler may take.
#[derive(Debug)]
pub struct Route<C> {
    /// The operation's name in camel case, such as `createContact`: the `operationId` of the document, its
    /// name in generated clients, and the key of [`Table::named`].
    pub name: &'static str,
    pub method: Method,
    pub path: &'static str,
    /// The required scope; none if any valid key may call it.
    pub scope: Option<Scope>,
    /// The units that a call takes from the key's budget.
    pub units: u32,
    /// Whether it accepts an `Idempotency-Key`.
    pub idempotent: bool,
    /// Whether its response contains a secret, so that the stored response must be encrypted.
    pub sealed: bool,
    /// Whether its reads always come from the primary database.
    pub fresh: bool,
    /// The status of success.
    pub status: StatusCode,
    /// From the handler's signature.
    pub takes_body: bool,
    pub body_optional: bool,
    pub summary: &'static str,
    pub notes: &'static str,
    pub tag: &'static str,
    /// Error statuses of this operation in addition to those of its kind.
    pub fails: &'static [StatusCode],
    pub handler: Handler<C>,
}

impl<C> Route<C> {
    fn new<Arguments, E: Endpoint<C, Arguments>>(
        method: Method,
        path: &'static str,
        name: &'static str,
        endpoint: E,
    ) -> Self {
        assert!(
            is_camel_case(name),
            "{method} {path} is named {name}; write it in camel case: createContact"
        );
        let handler = Handler::new(endpoint);
        let mut operation = Operation::default();
        handler.describe(&mut operation);
        let named = placeholders(path).count();
        let taken = operation.path.len();
        assert!(
            named == taken,
            "{method} {path} has {named} placeholders, but its handler takes {taken} values from the path"
        );
        Self {
            name,
            method,
            path,
            scope: None,
            units: UNITS_DEFAULT,
            idempotent: false,
            sealed: false,
            fresh: false,
            status: StatusCode::OK,
            takes_body: operation.payload.is_some(),
            body_optional: operation.payload.is_some_and(|payload| payload.optional),
            summary: "",
            notes: "",
            tag: "",
            fails: &[],
            handler,
        }
    }

    pub fn get<Arguments, E: Endpoint<C, Arguments>>(
        path: &'static str,
        name: &'static str,
        endpoint: E,
    ) -> Self {
        Self::new(Method::GET, path, name, endpoint)
    }

    pub fn post<Arguments, E: Endpoint<C, Arguments>>(
        path: &'static str,
        name: &'static str,
        endpoint: E,
    ) -> Self {
        Self::new(Method::POST, path, name, endpoint)
    }

    pub fn patch<Arguments, E: Endpoint<C, Arguments>>(
        path: &'static str,
        name: &'static str,
        endpoint: E,
    ) -> Self {
        Self::new(Method::PATCH, path, name, endpoint)
    }

    pub fn put<Arguments, E: Endpoint<C, Arguments>>(
        path: &'static str,
        name: &'static str,
        endpoint: E,
    ) -> Self {
        Self::new(Method::PUT, path, name, endpoint)
    }

    pub fn delete<Arguments, E: Endpoint<C, Arguments>>(
        path: &'static str,
        name: &'static str,
        endpoint: E,
    ) -> Self {
        Self::new(Method::DELETE, path, name, endpoint)
    }

    pub fn scope(self, scope: Scope) -> Self {
        Self { scope: Some(scope), ..self }
    }

    pub fn units(self, units: u32) -> Self {
        Self { units, ..self }
    }

    pub fn idempotent(self) -> Self {
        Self { idempotent: true, ..self }
    }

    /// Its response contains a secret.
    pub fn sealed(self) -> Self {
        Self { sealed: true, ..self }
    }

    /// Its reads always come from the primary database. It is for reads whose order or completeness a replica cannot promise.
    pub fn fresh(self) -> Self {
        Self { fresh: true, ..self }
    }

    /// Whether a read replica that has every change of the account may answer it: it lists, finds or counts something.
    pub fn is_replicated(&self) -> bool {
        self.method == Method::GET && self.scope.is_some() && !self.fresh
    }

    /// Success is 201.
    pub fn created(self) -> Self {
        Self { status: StatusCode::CREATED, ..self }
    }

    /// Success is 202.
    pub fn accepted(self) -> Self {
        Self { status: StatusCode::ACCEPTED, ..self }
    }

    pub fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Details that do not fit into the summary.
    pub fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    /// Its heading in the documentation.
    pub fn tag(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    pub fn fails(self, statuses: &'static [StatusCode]) -> Self {
        Self { fails: statuses, ..self }
    }

    /// Runs the operation. The response names the fields of the body that it ignored.
    pub fn call(&self, request: &Request<C>) -> impl Future<Output = Result<Reply>> + Send + use<C> {
        let running = self.handler.call(request, self.status);
        let ignored = request.ignored_header();
        async move {
            let outcome = running.await;
            let Some(ignored) = ignored else { return outcome };
            match outcome {
                Ok(reply) => Ok(reply.header(IGNORED_FIELDS, ignored)),
                Err(failure) => Err(failure.with_header(IGNORED_FIELDS, ignored)),
            }
        }
    }

    /// The stored response of an earlier request that was the same, with the fields of the body that it ignored.
    pub fn replay(&self, request: &Request<C>, stored: Failure) -> Failure {
        self.handler.read(request);
        match request.ignored_header() {
            Some(ignored) => stored.with_header(IGNORED_FIELDS, ignored),
            None => stored,
        }
    }
}

fn is_camel_case(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|each| each.is_ascii_alphanumeric())
}

/// The names between braces in a path, in order.
pub(crate) fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}
