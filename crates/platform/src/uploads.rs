//! Uploads: the one request whose body is no JSON and is not read whole. The crate that keeps files takes them.

use std::future;
use std::io;
use std::pin::Pin;

use bytes::Bytes;
use frontdesk_kernel::{Scope, Timestamp};
use frontdesk_web::{Failure, Reply, Result};
use futures_util::{Stream, StreamExt};
use http::Method;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http_body_util::{BodyExt, BodyStream};

use crate::principal::Principal;

/// Where files are uploaded, relative to the API's prefix.
pub const PATH: &str = "/media";

/// A body as it comes.
pub type UploadBody<'a> = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send + 'a>>;

/// Takes files that callers upload.
pub trait Uploads: Send + Sync {
    fn take<'a>(
        &'a self,
        principal: &'a Principal,
        content_type: Option<&'a str>,
        body: UploadBody<'a>,
        now: Timestamp,
    ) -> Pin<Box<dyn Future<Output = Result<Reply>> + Send + 'a>>;
}

/// Answers a request to [`PATH`] of a caller who is known.
pub async fn respond<B>(
    uploads: &dyn Uploads,
    principal: &Principal,
    parts: &Parts,
    body: B,
    now: Timestamp,
) -> Result<Reply>
where
    B: BodyExt<Data = Bytes> + Unpin + Send,
{
    if parts.method != Method::POST {
        return Err(Failure::method_not_allowed("POST"));
    }
    principal.need(Scope::MessagesSend)?;
    let content_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let frames = BodyStream::new(body).filter_map(|frame| {
        let data = match frame {
            Ok(frame) => frame.into_data().ok().map(Ok),
            Err(_) => Some(Err(io::Error::other("the body broke off"))),
        };
        future::ready(data)
    });
    uploads.take(principal, content_type, Box::pin(frames), now).await
}
