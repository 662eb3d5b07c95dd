//! `frontdesk health`: whether the server on this machine is ready, for containers and service managers.
//!
//! It calls `/readyz`, so that an image needs no other program for its check. It opens no database.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

use clap::Args;
use frontdesk_outbound::{Client, Limits, Reach};
use http::{HeaderMap, Method, Uri};
use serde_json::{Value, json};

use super::print;
use crate::error::{Error, Result};
use crate::installation::{Installation, runtime};

/// The deadline for the whole check.
const CALL_TIME_MAX: Duration = Duration::from_secs(5);
/// The part of the response that is read.
const BODY_BYTES_MAX: usize = 64 * 1024;

#[derive(Args)]
pub(super) struct Command {
    /// The address that the server listens on
    #[arg(long, env = "FRONTDESK_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    listen: String,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let address = reachable(&self.listen).ok_or_else(|| {
            Error::Invalid(format!(
                "{:?} is no address: use ADDRESS:PORT, such as 127.0.0.1:8080",
                self.listen
            ))
        })?;
        let body = runtime()?.block_on(ask(address))?;
        if body["status"] == "ready" {
            return print::output(installation.json, &body, || match body["warning"].as_str() {
                Some(warning) => format!("The server at {address} is ready, with a warning: {warning}"),
                None => format!("The server at {address} is ready."),
            });
        }
        let reason = body["reason"].as_str().unwrap_or("its response gives no reason");
        Err(Error::Invalid(format!("the server at {address} is not ready: {reason}")))
    }
}

/// The body of `/readyz`, whatever its status.
async fn ask(address: SocketAddr) -> Result<Value> {
    let uri: Uri = format!("http://{address}/readyz").parse().expect("an address makes a URL");
    let limits = Limits { time_max: CALL_TIME_MAX, body_bytes_max: BODY_BYTES_MAX };
    let client = Client::new(Reach::Anywhere);
    let response = client.send(Method::GET, uri, HeaderMap::new(), bytes::Bytes::new(), limits).await;
    let response = response.map_err(|error| {
        Error::Invalid(format!(
            "no server answers at {address}: {error}. Start it with `frontdesk serve`, or name its address with --listen"
        ))
    })?;
    Ok(serde_json::from_slice(&response.body).unwrap_or_else(|_| json!({})))
}

/// The address at which this machine reaches a server that listens there: an unspecified address is its loopback.
fn reachable(listen: &str) -> Option<SocketAddr> {
    let mut address = listen.trim().to_socket_addrs().ok()?.next()?;
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    Some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_everywhere_is_asked_on_this_machine() {
        for (listen, asked) in [
            ("0.0.0.0:8080", Some("127.0.0.1:8080")),
            ("[::]:9000", Some("[::1]:9000")),
            ("127.0.0.1:1", Some("127.0.0.1:1")),
            ("nowhere", None),
            ("", None),
        ] {
            assert_eq!(reachable(listen).map(|address| address.to_string()).as_deref(), asked, "{listen:?}");
        }
    }
}
