//! The door that forms come in by: `POST /forms/{token}`.

use std::sync::Arc;

use frontdesk_platform::door::{Answer, nothing_here};
use frontdesk_platform::{By, Door, Error as PlatformError, Means, Visit};
use frontdesk_web::{Failure, Reply, Result, data_bytes};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, LOCATION, VARY,
};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use serde_json::json;

use super::form::{self, Form};
use super::page;
use super::submission::{Encoding, Submission};
use super::visitors::Visitors;
use crate::inquiries::{self, InquiryError, InquiryId, NewInquiry, PageUrl};
use crate::token;

const BODY_BYTES_MAX: usize = 64 * 1024;
/// How long a browser may remember what a preflight said.
const PREFLIGHT_SECONDS: i64 = 600;

/// Where websites send their forms.
pub fn door() -> Door {
    let visitors = Arc::new(Visitors::default());
    Door::new("forms", BODY_BYTES_MAX, move |means, visit| {
        let visitors = visitors.clone();
        Box::pin(async move { answer(means, &visitors, visit).await })
    })
}

async fn answer(means: &Means, visitors: &Visitors, visit: Visit) -> Result<Answer> {
    let form = find(means, &visit).await?;
    let origin = visit.header("origin");
    let headers = form.as_ref().map(|form| cross_origin(form, origin)).unwrap_or_default();
    let outcome = match &form {
        None => Err(nothing_here()),
        Some(form) if !is_let_in(form, origin) => Err(Failure::forbidden(
            "origin_not_allowed",
            format!("The form \"{}\" may not be sent from this website.", form.name),
        )),
        Some(form) => take(means, visitors, form, &visit).await,
    };
    match outcome {
        Err(failure) if !is_browser(&visit) => {
            Err(headers.into_iter().fold(failure, |failure, (name, value)| failure.with_header(name, value)))
        }
        outcome => {
            let mut reply = outcome.unwrap_or_else(|failure| page::refused(&failure));
            reply.headers.extend(headers);
            Ok(reply.into())
        }
    }
}

async fn find(means: &Means, visit: &Visit) -> Result<Option<Form>> {
    let Some([token]) = visit.parts::<1>().filter(|[token]| token::is_shaped(token)) else {
        return Ok(None);
    };
    let token = token.to_owned();
    let found = means.store.read(move |tx| form::by_token(tx, &token).map_err(PlatformError::from)).await;
    Ok(found?)
}

async fn take(means: &Means, visitors: &Visitors, form: &Form, visit: &Visit) -> Result<Reply> {
    match visit.method {
        Method::POST => {}
        Method::OPTIONS => return Ok(leave()),
        _ => return Err(Failure::method_not_allowed("POST, OPTIONS")),
    }
    visitors.count(form.id, visit.address, visit.now).map_err(|seconds| {
        Failure::rate_limited(
            format!("This form was sent too often from here. Wait {seconds} seconds."),
            seconds,
        )
    })?;
    let encoding = Encoding::of(visit.header("content-type"))?;
    let submission = Submission::read(encoding, &visit.body)?;
    let id = if submission.is_trapped {
        // Whoever fell into the trap is answered like everybody else.
        means.ids.next(visit.now)
    } else {
        let new = submission.inquiry(visit.header("referer"))?;
        keep(means, form, visit, NewInquiry { form: Some(form.name.clone()), ..new }).await?
    };
    Ok(if is_browser(visit) {
        sent_on(form, submission.redirect.as_ref())
    } else {
        Reply::new(StatusCode::CREATED, data_bytes(&json!({ "id": id })))
    })
}

async fn keep(means: &Means, form: &Form, visit: &Visit, new: NewInquiry) -> Result<InquiryId> {
    let (account, now, ids) = (form.account_id, visit.now, means.ids.clone());
    let kept = means.store.write(move |tx| {
        let by = By::of_account(tx, account, now, &ids)?.ok_or(PlatformError::Missing("account"))?;
        inquiries::submit(tx, &by, &new)
    });
    Ok(kept.await.map_err(|error: InquiryError| Failure::from(error))?.id)
}

/// Sends a browser to where the form says, or where its page asks if that is on the same site; else thanks it.
fn sent_on(form: &Form, asked: Option<&PageUrl>) -> Reply {
    let Some(usual) = form.redirect_url.as_ref().and_then(|url| url.parse::<PageUrl>().ok()) else {
        return page::thanks();
    };
    let target = asked.filter(|asked| asked.is_beside(&usual)).unwrap_or(&usual);
    match HeaderValue::from_str(target.as_str()) {
        Ok(location) => Reply::new(StatusCode::SEE_OTHER, "").header(LOCATION, location),
        Err(_) => page::thanks(),
    }
}

/// Whether a person in a browser waits for a page, and not a script for JSON.
fn is_browser(visit: &Visit) -> bool {
    let takes_pages = visit.header("accept").is_some_and(|kinds| kinds.contains("text/html"));
    takes_pages && !matches!(Encoding::of(visit.header("content-type")), Ok(Encoding::Json))
}

/// A caller that is no browser names no origin, and a form without a list is sent from anywhere.
fn is_let_in(form: &Form, origin: Option<&str>) -> bool {
    form.origins.is_empty()
        || origin.is_none_or(|origin| form.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)))
}

/// Lets a script of a page that may send the form read the answer.
fn cross_origin(form: &Form, origin: Option<&str>) -> Vec<(HeaderName, HeaderValue)> {
    const EXPOSED: HeaderValue = HeaderValue::from_static("x-request-id, retry-after");
    let admitted = match origin {
        _ if form.origins.is_empty() => HeaderValue::from_static("*"),
        Some(origin) if is_let_in(form, Some(origin)) => match HeaderValue::from_str(origin) {
            Ok(origin) => origin,
            Err(_) => return Vec::new(),
        },
        _ => return vec![(VARY, HeaderValue::from_static("origin"))],
    };
    vec![
        (ACCESS_CONTROL_ALLOW_ORIGIN, admitted),
        (ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED),
        (VARY, HeaderValue::from_static("origin")),
    ]
}

/// Leave to send the form.
fn leave() -> Reply {
    Reply::new(StatusCode::NO_CONTENT, "")
        .header(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, OPTIONS"))
        .header(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"))
        .header(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS.into())
}
