//! Requests with one result.

use std::fmt::Display;
use std::future::IntoFuture;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::call::Call;
use crate::client::Client;
use crate::error::{Error, Result};
use crate::response::{RawResponse, Response};
use crate::send::Sending;

/// A request that is sent when it is awaited.
///
/// ```no_run
/// # async fn example(client: frontdesk::Client, id: frontdesk::Uuid) -> frontdesk::Result<()> {
/// let contact = client.contacts().get(id).await?;
/// let with_headers = client.contacts().get(id).response().await?;
/// println!("{:?} {:?}", with_headers.data.name, with_headers.raw.request_id());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a request is sent when it is awaited"]
pub struct Request<T> {
    client: Client,
    call: Call,
    result: PhantomData<fn() -> T>,
}

/// A write that takes an idempotency key. It is sent when it is awaited.
///
/// All its attempts send the same key, so it is carried out at most once. With a key of your own, such as an order's number,
/// that also holds for repetitions by your program, for 24 hours.
#[derive(Clone, Debug)]
#[must_use = "a request is sent when it is awaited"]
pub struct Write<T>(Request<T>);

/// The settings that every request has.
macro_rules! call_settings {
    ($($call:tt).+) => {
        /// The deadline of this call with all its attempts and pauses.
        pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
            self.$($call).+.timeout = Some(timeout);
            self
        }

        /// How often this call is tried again.
        pub fn max_retries(mut self, retries: u32) -> Self {
            self.$($call).+.retries = Some(retries);
            self
        }

        /// Adds a header, or replaces one.
        pub fn header(mut self, name: &str, value: &str) -> Self {
            self.$($call).+.header(name, value);
            self
        }
    };
}

pub(crate) use call_settings;

impl<T> Request<T> {
    pub(crate) fn new(client: &Client, call: Call) -> Self {
        Self { client: client.clone(), call, result: PhantomData }
    }

    /// Sets a parameter of the query.
    pub(crate) fn query(mut self, name: &'static str, value: impl Display) -> Self {
        self.call.replace_query(name, value);
        self
    }

    call_settings!(call);
}

impl<T: DeserializeOwned> Request<T> {
    /// Sends it, and returns the result with the response that it came in.
    pub async fn response(self) -> Result<Response<T>> {
        let raw = self.client.send(&self.call).await?;
        Ok(Response { data: data(&raw)?, raw })
    }
}

/// Sends it.
impl<T: DeserializeOwned + 'static> IntoFuture for Request<T> {
    type Output = Result<T>;
    type IntoFuture = Sending<T>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { data(&self.client.send(&self.call).await?) })
    }
}

impl<T> Write<T> {
    pub(crate) fn new(client: &Client, call: Call) -> Self {
        Self(Request::new(client, call.keyed()))
    }

    /// The idempotency key: 1 to 255 visible characters. The server stores the result for 24 hours and returns it to every
    /// request with the same key and the same content.
    pub fn idempotency_key(mut self, key: &str) -> Self {
        self.0.call = self.0.call.idempotency_key(key);
        self
    }

    call_settings!(0.call);
}

impl<T: DeserializeOwned> Write<T> {
    /// Sends it, and returns the result with the response that it came in.
    pub async fn response(self) -> Result<Response<T>> {
        self.0.response().await
    }
}

/// Sends it.
impl<T: DeserializeOwned + 'static> IntoFuture for Write<T> {
    type Output = Result<T>;
    type IntoFuture = Sending<T>;

    fn into_future(self) -> Self::IntoFuture {
        self.0.into_future()
    }
}

/// The result in a response: its `data`.
fn data<T: DeserializeOwned>(response: &RawResponse) -> Result<T> {
    #[derive(Deserialize)]
    struct Body<T> {
        data: T,
    }

    read::<Body<T>>(response).map(|body| body.data)
}

/// A body of a known shape.
pub(crate) fn read<T: DeserializeOwned>(response: &RawResponse) -> Result<T> {
    serde_json::from_slice(response.body())
        .map_err(|source| Error::Decode { response: Box::new(response.clone()), source })
}

/// Makes a request's own type out of [`Request`]: the methods that all requests have.
macro_rules! request_methods {
    ($data:ty) => {
        /// Sends it, and returns the result with the response that it came in.
        pub async fn response(self) -> crate::error::Result<crate::response::Response<$data>> {
            self.0.response().await
        }

        /// The deadline of this call with all its attempts and pauses.
        pub fn timeout(self, timeout: std::time::Duration) -> Self {
            Self(self.0.timeout(timeout))
        }

        /// How often this call is tried again.
        pub fn max_retries(self, retries: u32) -> Self {
            Self(self.0.max_retries(retries))
        }

        /// Adds a header, or replaces one.
        pub fn header(self, name: &str, value: &str) -> Self {
            Self(self.0.header(name, value))
        }
    };
}

/// Makes such a type be sent when it is awaited.
macro_rules! awaited {
    ($name:ty, $data:ty) => {
        impl IntoFuture for $name {
            type Output = crate::error::Result<$data>;
            type IntoFuture = <Request<$data> as IntoFuture>::IntoFuture;

            fn into_future(self) -> Self::IntoFuture {
                self.0.into_future()
            }
        }
    };
}

pub(crate) use {awaited, request_methods};
