//! Arguments of operations: ids from the path, filters from the query, a body.

use std::mem;

use frontdesk_kernel::Id;
use serde_json::Value;

use super::{Operation, Payload};
use crate::describe::Describe;
use crate::failure::{Failure, Result};
use crate::field_path::FieldPath;
use crate::input::Input;
use crate::problems::Problems;
use crate::query::{Filters, Pairs};
use crate::request::Request;

/// A part of a request. If it cannot be taken, its failure is the response.
///
/// Most arguments work for any caller. The caller itself is an argument of requests with its type.
pub trait Argument<C>: Sized {
    fn describe(operation: &mut Operation);

    fn take(request: &Request<C>) -> Result<Self>;
}

/// The values of the path's placeholders, in order.
#[derive(Clone, Copy, Debug)]
pub struct Path<T>(pub T);

/// Types that a path's placeholders can be parsed as.
pub trait Segments: Sized {
    fn describe(operation: &mut Operation);

    fn read(values: &[String]) -> Option<Self>;
}

impl<C, T: Segments> Argument<C> for Path<T> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }

    /// A malformed id is not found, like an unknown one.
    fn take(request: &Request<C>) -> Result<Self> {
        T::read(&request.params).map(Self).ok_or_else(|| {
            Failure::not_found("Nothing has the id in this path: it is not a UUID. Check it and try again.")
        })
    }
}

impl Segments for String {
    fn describe(operation: &mut Operation) {
        let schema = <Self as Describe>::schema(&mut operation.components);
        operation.path(schema);
    }

    fn read(values: &[String]) -> Option<Self> {
        values.first().cloned()
    }
}

fn describe_id<T: ?Sized>(operation: &mut Operation) {
    let schema = <Id<T> as Describe>::schema(&mut operation.components);
    operation.path(schema);
}

impl<A: ?Sized> Segments for Id<A> {
    fn describe(operation: &mut Operation) {
        describe_id::<A>(operation);
    }

    fn read(values: &[String]) -> Option<Self> {
        let [a] = values else { return None };
        a.parse().ok()
    }
}

impl<A: ?Sized, B: ?Sized> Segments for (Id<A>, Id<B>) {
    fn describe(operation: &mut Operation) {
        describe_id::<A>(operation);
        describe_id::<B>(operation);
    }

    fn read(values: &[String]) -> Option<Self> {
        let [a, b] = values else { return None };
        Some((a.parse().ok()?, b.parse().ok()?))
    }
}

impl<A: ?Sized, B: ?Sized, C: ?Sized> Segments for (Id<A>, Id<B>, Id<C>) {
    fn describe(operation: &mut Operation) {
        describe_id::<A>(operation);
        describe_id::<B>(operation);
        describe_id::<C>(operation);
    }

    fn read(values: &[String]) -> Option<Self> {
        let [a, b, c] = values else { return None };
        Some((a.parse().ok()?, b.parse().ok()?, c.parse().ok()?))
    }
}

/// The query's filters, for an operation that is not a paginated list.
#[derive(Clone, Copy, Debug)]
pub struct Query<F>(pub F);

impl<C, F: Filters> Argument<C> for Query<F> {
    fn describe(operation: &mut Operation) {
        let parameters = F::parameters(&mut operation.components);
        operation.query(parameters);
    }

    fn take(request: &Request<C>) -> Result<Self> {
        F::read(&Pairs::parse(&request.query)).map(Self)
    }
}

/// The body, which is always a JSON object.
#[derive(Clone, Copy, Debug)]
pub struct Body<T>(pub T);

fn describe_body<T: Input>(operation: &mut Operation, optional: bool) {
    let schema = T::schema(&mut operation.components);
    operation.payload(Payload { schema, optional });
}

fn is_blank(body: &[u8]) -> bool {
    body.trim_ascii().is_empty()
}

impl<C, T: Input> Argument<C> for Body<T> {
    fn describe(operation: &mut Operation) {
        describe_body::<T>(operation, false);
    }

    fn take(request: &Request<C>) -> Result<Self> {
        match Draft::<T>::take(request)?.0 {
            Ok(read) => Ok(Self(read)),
            Err(rough) => Err(Failure::validation(rough.problems)),
        }
    }
}

/// A body that may have problems, for operations that look for further ones and report all at once.
#[derive(Clone, Debug)]
pub struct Draft<T>(pub std::result::Result<T, InvalidBody>);

/// A body with problems: those found so far, and its JSON.
#[derive(Clone, Debug)]
pub struct InvalidBody {
    pub problems: Problems,
    pub value: Value,
}

impl InvalidBody {
    /// A field without problems, if it is present.
    pub fn field<T: Input>(&self, name: &str) -> Option<T> {
        let value = self.value.get(name).filter(|value| !value.is_null());
        value.and_then(|value| T::read(Some(value), &mut FieldPath::root(), &mut Problems::new()))
    }

    /// The items of a list that have no problems, each with its position.
    pub fn items<T: Input>(&self, name: &str) -> Vec<(usize, T)> {
        let values = self.value.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let read = |value| T::read(Some(value), &mut FieldPath::root(), &mut Problems::new());
        values.iter().enumerate().filter_map(|(at, value)| read(value).map(|item| (at, item))).collect()
    }
}

impl<C, T: Input> Argument<C> for Draft<T> {
    fn describe(operation: &mut Operation) {
        describe_body::<T>(operation, false);
    }

    fn take(request: &Request<C>) -> Result<Self> {
        if is_blank(&request.body) {
            return Err(Failure::bad_request("The body is empty: send a JSON object."));
        }
        let value: Value = serde_json::from_slice(&request.body).map_err(|wrong| {
            Failure::bad_request(format!("The body is not JSON: {wrong}. Correct it and send it again."))
        })?;
        let mut problems = Problems::new();
        if !value.is_object() {
            problems.add("", "must be a JSON object");
            return Err(Failure::validation(problems));
        }
        let read = T::read(Some(&value), &mut FieldPath::root(), &mut problems);
        // A handler takes one body, so it is set once.
        let _ = request.ignored.set(mem::take(problems.ignored()));
        Ok(Self(match read {
            Some(read) if problems.is_empty() => Ok(read),
            _ => Err(InvalidBody { problems, value }),
        }))
    }
}

/// An optional body.
impl<C, T: Input> Argument<C> for Option<Body<T>> {
    fn describe(operation: &mut Operation) {
        describe_body::<T>(operation, true);
    }

    fn take(request: &Request<C>) -> Result<Self> {
        if is_blank(&request.body) { Ok(None) } else { Body::take(request).map(Some) }
    }
}
