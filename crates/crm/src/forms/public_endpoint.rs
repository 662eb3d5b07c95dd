//! The endpoint of forms: `/forms/{token}`.
//!
//! GET shows the hosted form. POST submits it, from there or from any website. A browser is redirected to a
//! thank-you page; a script gets JSON.

use std::sync::Arc;

use frontdesk_kernel::Country;
use frontdesk_platform::limits::UsedUp;
use frontdesk_platform::public_endpoint::{PublicResponse, nothing_here};
use frontdesk_platform::{
    By, Error as PlatformError, PublicEndpoint, PublicRequest, ServerContext, UnreadRequest, accounts,
};
use frontdesk_web::{Failure, Pairs, Reply, Result, data_bytes};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, LOCATION, VARY,
};
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use serde_json::json;

use super::form::{self, Form};
use super::hosted;
use super::look::{Look, base_path};
use super::page;
use super::submission::{Encoding, Submission};
use super::typed::FormValues;
use super::visitors::Visitors;
use super::words::FormLanguage;
use crate::inquiries::{self, InquiryError, InquiryId, NewInquiry, PageUrl};
use crate::token;

const BODY_BYTES_MAX: usize = 64 * 1024;
/// The last part of the thank-you page's address.
const THANKS: &str = "thanks";
/// The parameter of a form's address that names the language of its pages.
const LANGUAGE: &str = "language";
/// How long a browser may cache a preflight.
const PREFLIGHT_SECONDS: i64 = 600;

/// The endpoint of forms.
pub fn public_endpoint() -> PublicEndpoint {
    let visitors = Arc::new(Visitors::default());
    PublicEndpoint::new("forms", BODY_BYTES_MAX, move |server, request| {
        let visitors = visitors.clone();
        Box::pin(async move { respond(server, &visitors, request).await })
    })
}

async fn respond(
    server: &ServerContext,
    visitors: &Visitors,
    request: UnreadRequest<'_>,
) -> Result<PublicResponse> {
    let form = find(server, &request.head).await?;
    let request = if form.is_some() { request.read().await? } else { request.head };
    let origin = request.header("origin");
    let headers = form.as_ref().map(|form| cross_origin(form, origin)).unwrap_or_default();
    let outcome = match &form {
        None => Err(nothing_here()),
        Some(form) => respond_for(server, visitors, form, &request).await,
    };
    match outcome {
        Err(failure) if !wants_page(&request) => {
            Err(headers.into_iter().fold(failure, |failure, (name, value)| failure.with_header(name, value)))
        }
        Err(failure) => {
            let mut reply = failure_page(server, form.as_ref(), &request, &failure).await?;
            reply.headers.extend(headers);
            Ok(reply.into())
        }
        Ok(mut reply) => {
            reply.headers.extend(headers);
            Ok(reply.into())
        }
    }
}

/// The form of an address: the form's own, or its thank-you page's.
async fn find(server: &ServerContext, request: &PublicRequest) -> Result<Option<Form>> {
    let token = match request.parts::<1>() {
        Some([token]) => token,
        None => match request.parts::<2>() {
            Some([token, THANKS]) => token,
            _ => return Ok(None),
        },
    };
    if !token::is_shaped(token) {
        return Ok(None);
    }
    let token = token.to_owned();
    let found = server.store.read(move |tx| form::by_token(tx, &token).map_err(PlatformError::from)).await;
    Ok(found?)
}

async fn respond_for(
    server: &ServerContext,
    visitors: &Visitors,
    form: &Form,
    request: &PublicRequest,
) -> Result<Reply> {
    let is_read = is_read(&request.method);
    if request.parts::<2>().is_some() {
        return if is_read {
            Ok(page::thanks(form, &look(server, form, request).await?))
        } else {
            Err(Failure::method_not_allowed("GET, HEAD"))
        };
    }
    if is_read {
        return Ok(hosted::show(form, &look(server, form, request).await?));
    }
    if !is_origin_allowed(form, request.header("origin")) && !is_own_origin(server, request) {
        return Err(Failure::forbidden(
            "origin_not_allowed",
            format!("The form \"{}\" may not be sent from this website.", form.name),
        ));
    }
    match request.method {
        Method::POST => submit(server, visitors, form, request).await,
        Method::OPTIONS => Ok(preflight()),
        _ => Err(Failure::method_not_allowed("GET, HEAD, POST, OPTIONS")),
    }
}

/// The page that explains a failure. If the person can correct it, the page is the form with their input.
async fn failure_page(
    server: &ServerContext,
    form: Option<&Form>,
    request: &PublicRequest,
    failure: &Failure,
) -> Result<Reply> {
    let Some(form) = form else { return Ok(page::missing(language(request))) };
    let look = look(server, form, request).await?;
    let is_final = matches!(
        failure.status(),
        StatusCode::FORBIDDEN | StatusCode::METHOD_NOT_ALLOWED | StatusCode::UNSUPPORTED_MEDIA_TYPE
    );
    if is_final || request.method != Method::POST {
        return Ok(page::refused(form, &look, failure));
    }
    let Ok(typed) = FormValues::read(&request.body, request.header("referer")) else {
        return Ok(page::refused(form, &look, failure));
    };
    Ok(hosted::show_again(form, &look, &typed, failure))
}

/// The language of the visitor.
fn language(request: &PublicRequest) -> FormLanguage {
    FormLanguage::of(Pairs::parse(&request.query).given(LANGUAGE), request.header("accept-language"))
}

/// How the pages of the form look to this visitor.
async fn look(server: &ServerContext, form: &Form, request: &PublicRequest) -> Result<Look> {
    let (account, base_url) = (form.account_id, server.services.base_url.clone());
    let found =
        server.store.read(move |tx| Look::find(tx, account, &base_url).map_err(PlatformError::from)).await;
    Ok(Look { language: language(request), ..found? })
}

/// The country whose national numbers the form reads.
async fn country(server: &ServerContext, form: &Form) -> Result<Option<Country>> {
    let account = form.account_id;
    Ok(server.store.read(move |tx| accounts::country(tx, account).map_err(PlatformError::from)).await?)
}

async fn submit(
    server: &ServerContext,
    visitors: &Visitors,
    form: &Form,
    request: &PublicRequest,
) -> Result<Reply> {
    visitors.count(form.id, request.address, request.now).map_err(|UsedUp { seconds_left }| {
        Failure::rate_limited(
            format!(
                "This form was sent too often from here. Wait {seconds_left} seconds, then send it again."
            ),
            seconds_left,
        )
        .of_limit("form_submissions")
    })?;
    let encoding = Encoding::of(request.header("content-type"))?;
    let submission = Submission::read(encoding, &request.body)?;
    let id = if submission.is_trapped {
        // A bot that filled in the hidden field gets the usual response.
        server.recorder.next(request.now)
    } else {
        let new = submission.inquiry(
            form.fields.as_ref(),
            request.header("referer"),
            country(server, form).await?,
        )?;
        store_inquiry(server, form, request, NewInquiry { form: Some(form.name.clone()), ..new }).await?
    };
    Ok(if wants_page(request) {
        redirect(server, form, request, submission.redirect.as_ref())
    } else {
        Reply::new(StatusCode::CREATED, data_bytes(&json!({ "id": id })))
    })
}

async fn store_inquiry(
    server: &ServerContext,
    form: &Form,
    request: &PublicRequest,
    new: NewInquiry,
) -> Result<InquiryId> {
    let (account, now, recorder) = (form.account_id, request.now, server.recorder.clone());
    let stored =
        server.store.write(move |tx| inquiries::submit(tx, &By::system(account, now, &recorder), &new));
    Ok(stored.await.map_err(|error: InquiryError| Failure::from(error))?.id)
}

/// Redirects a browser, so that a reload does not submit the form again: to the form's page, or to the
/// requested page on the same site, or else to a thank-you page.
fn redirect(server: &ServerContext, form: &Form, request: &PublicRequest, asked: Option<&PageUrl>) -> Reply {
    let usual = form.redirect_url.as_ref().and_then(|url| url.parse::<PageUrl>().ok());
    let target = if let Some(usual) = &usual {
        asked.filter(|asked| asked.is_beside(usual)).unwrap_or(usual).as_str().to_owned()
    } else {
        // A path works under any name of this server.
        let asked = Pairs::parse(&request.query).given(LANGUAGE).is_some();
        let language =
            if asked { format!("?{LANGUAGE}={}", language(request).as_str()) } else { String::new() };
        format!("{}/forms/{}/{THANKS}{language}", base_path(&server.services.base_url), form.token)
    };
    match HeaderValue::from_str(&target) {
        Ok(location) => Reply::new(StatusCode::SEE_OTHER, "").header(LOCATION, location),
        Err(_) => page::thanks(form, &Look::default()),
    }
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Whether the caller is a browser that wants a page, or a script that wants JSON. A GET is for browsers,
/// unless the caller accepts JSON.
fn wants_page(request: &PublicRequest) -> bool {
    let accepts = |kind: &str| request.header("accept").is_some_and(|kinds| kinds.contains(kind));
    if is_read(&request.method) {
        return accepts("text/html") || !accepts("application/json");
    }
    accepts("text/html") && !matches!(Encoding::of(request.header("content-type")), Ok(Encoding::Json))
}

/// Whether the request comes from the hosted form, which is on this server.
fn is_own_origin(server: &ServerContext, request: &PublicRequest) -> bool {
    let authority = |url: &str| url.parse::<Uri>().ok().and_then(|uri| uri.authority().cloned());
    let Some(origin) = request.header("origin").and_then(authority) else { return false };
    let host = request.header("host").is_some_and(|host| origin.as_str().eq_ignore_ascii_case(host));
    host || authority(&server.services.base_url).is_some_and(|ours| ours == origin)
}

/// A caller that is not a browser sends no origin, and a form without a list accepts any.
fn is_origin_allowed(form: &Form, origin: Option<&str>) -> bool {
    form.origins.is_empty()
        || origin.is_none_or(|origin| form.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)))
}

/// Lets a script of an allowed page read the response.
fn cross_origin(form: &Form, origin: Option<&str>) -> Vec<(HeaderName, HeaderValue)> {
    const EXPOSED: HeaderValue = HeaderValue::from_static("x-request-id, retry-after");
    let admitted = match origin {
        _ if form.origins.is_empty() => HeaderValue::from_static("*"),
        Some(origin) if is_origin_allowed(form, Some(origin)) => match HeaderValue::from_str(origin) {
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

/// The response to a preflight.
fn preflight() -> Reply {
    Reply::new(StatusCode::NO_CONTENT, "")
        .header(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, OPTIONS"))
        .header(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"))
        .header(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS.into())
}
