//! Calls to vendors. The inbox makes no other calls.

use std::time::Duration;

use frontdesk_channels::{Call, VendorResponse};
use frontdesk_outbound::{self as outbound, Error, Gate, Limits};
use frontdesk_platform::{Services, sandbox_pass};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

/// The timeout of a call to a vendor.
pub(crate) const CALL_TIME_MAX: Duration = Duration::from_secs(20);
/// The longest response that is read; a page of templates is the longest.
const ANSWER_BYTES_MAX: usize = 4 << 20;

const LIMITS: Limits = Limits { time_max: CALL_TIME_MAX, body_bytes_max: ANSWER_BYTES_MAX };

/// A vendor's response, read whole.
pub struct OwnedResponse(outbound::Response);

impl OwnedResponse {
    pub fn read(&self) -> VendorResponse<'_> {
        VendorResponse { status: self.0.status.as_u16(), headers: &self.0.headers, body: &self.0.body }
    }
}

/// Makes a call to an address that the operator chose.
pub async fn make(services: &Services, call: Call) -> Result<OwnedResponse, Error> {
    let (uri, headers) = head(services, &call)?;
    services.vendors.send(call.method, uri, headers, call.body, LIMITS).await.map(OwnedResponse)
}

/// Does the same, but completes the request only if the gate opens, once the connection is made.
pub async fn make_behind(gate: Gate, services: &Services, call: Call) -> Result<OwnedResponse, Error> {
    let (uri, headers) = head(services, &call)?;
    services.vendors.send_behind(gate, call.method, uri, headers, call.body, LIMITS).await.map(OwnedResponse)
}

/// The address and the headers of a call.
fn head(services: &Services, call: &Call) -> Result<(Uri, HeaderMap), Error> {
    let uri: Uri = call
        .url
        .parse()
        .map_err(|_| Error::Unreached("the address of the channel cannot be read".to_owned()))?;
    let mut headers = HeaderMap::with_capacity(3);
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("Frontdesk/", env!("CARGO_PKG_VERSION"))));
    if let Some(kind) = &call.content_type {
        let kind = HeaderValue::from_str(kind)
            .map_err(|_| Error::Unreached("the type of the body cannot be sent in a header".to_owned()))?;
        headers.insert(CONTENT_TYPE, kind);
    }
    if let Some((name, value)) = &call.authorization {
        let mut value = HeaderValue::from_str(value.reveal())
            .map_err(|_| Error::Unreached("the token cannot be sent in a header".to_owned()))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    headers.extend(services.sandbox_pass(&call.url).map(|pass| (sandbox_pass::HEADER, pass)));
    Ok((uri, headers))
}
