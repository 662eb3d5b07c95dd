//! Operations: async functions whose signature declares their arguments and result.
//!
//! Arguments are taken from the request before the operation's future is built, in their order. The first
//! that fails, fails the request. The future borrows nothing.

mod arguments;
mod operation;
mod replies;

use std::future::{Future, ready};
use std::pin::Pin;

use http::StatusCode;

use crate::failure::Result;
use crate::reply::Reply;
use crate::request::Request;

pub use arguments::{Argument, Body, Draft, InvalidBody, Path, Query, Segments};
pub use operation::{Operation, Payload};
pub(crate) use replies::bytes_of;
pub use replies::{Data, Deleted, IntoReply, data_bytes};

/// A running operation.
pub type ReplyFuture = Pin<Box<dyn Future<Output = Result<Reply>> + Send>>;

/// An async function of up to five [`Argument`]s whose output is a `Result` of an [`IntoReply`].
pub trait Endpoint<C, Arguments>: Send + Sync + 'static {
    fn describe(operation: &mut Operation);

    /// Takes the arguments and does nothing with them.
    fn read(request: &Request<C>);

    fn call(&self, request: &Request<C>, status: StatusCode) -> ReplyFuture;
}

macro_rules! endpoint {
    ($($argument:ident)*) => {
        impl<C, F, Fut, A, $($argument),*> Endpoint<C, ($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<A>> + Send + 'static,
            A: IntoReply,
            $($argument: Argument<C>,)*
        {
            #[allow(unused_variables, reason = "a function without arguments reads nothing")]
            fn describe(operation: &mut Operation) {
                $($argument::describe(operation);)*
                A::describe(operation);
            }

            #[allow(unused_variables, reason = "a function without arguments reads nothing")]
            fn read(request: &Request<C>) {
                $(
                    if $argument::take(request).is_err() {
                        return;
                    }
                )*
            }

            #[allow(unused_variables, non_snake_case, reason = "each argument is named after its type")]
            fn call(&self, request: &Request<C>, status: StatusCode) -> ReplyFuture {
                $(
                    let $argument = match $argument::take(request) {
                        Ok(argument) => argument,
                        Err(failure) => return Box::pin(ready(Err(failure))),
                    };
                )*
                let answering = self($($argument),*);
                Box::pin(async move { answering.await.map(|response| response.reply(status)) })
            }
        }
    };
}

endpoint!();
endpoint!(A1);
endpoint!(A1 A2);
endpoint!(A1 A2 A3);
endpoint!(A1 A2 A3 A4);
endpoint!(A1 A2 A3 A4 A5);

type Call<C> = Box<dyn Fn(&Request<C>, StatusCode) -> ReplyFuture + Send + Sync>;

/// An operation with its signature erased.
pub struct Handler<C> {
    call: Call<C>,
    read: fn(&Request<C>),
    describe: fn(&mut Operation),
}

impl<C> Handler<C> {
    pub fn new<Arguments, E: Endpoint<C, Arguments>>(endpoint: E) -> Self {
        Self {
            call: Box::new(move |request, status| endpoint.call(request, status)),
            read: E::read,
            describe: E::describe,
        }
    }

    /// Takes the arguments at once; the returned future borrows nothing.
    pub fn call(&self, request: &Request<C>, status: StatusCode) -> ReplyFuture {
        (self.call)(request, status)
    }

    /// Reads the request's body, if the operation takes one, for the fields that it ignores.
    pub fn read(&self, request: &Request<C>) {
        (self.read)(request);
    }

    pub fn describe(&self, operation: &mut Operation) {
        (self.describe)(operation);
    }
}

impl<C> std::fmt::Debug for Handler<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handler")
    }
}

#[cfg(test)]
mod tests;
