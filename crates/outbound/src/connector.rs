//! Connects: resolves the name, checks the addresses, connects to a checked one, and starts TLS for https.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::address::{Reach, is_public};

/// The time limit per address before the next one is tried.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);

/// Why no connection was made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the address {address} is not on the public internet")]
    Address { address: IpAddr },
    #[error("only https addresses are called")]
    Scheme,
    #[error("the name cannot be resolved: {0}")]
    Resolve(String),
    #[error("cannot connect: {0}")]
    Connect(String),
}

/// Makes connections for hyper's client.
#[derive(Clone)]
pub(crate) struct Connector {
    reach: Reach,
    tls: TlsConnector,
}

impl Connector {
    pub(crate) fn new(reach: Reach) -> Self {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider speaks the default versions of TLS")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self { reach, tls: TlsConnector::from(Arc::new(config)) }
    }
}

impl tower_service::Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = Refusal;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Refusal>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let addresses = resolve(&uri, this.reach).await?;
            let tcp = connect(&addresses).await?;
            if uri.scheme_str() != Some("https") {
                return Ok(TokioIo::new(Stream::Plain(tcp)));
            }
            let failed = |error: &dyn std::fmt::Display| Refusal::Connect(format!("TLS: {error}"));
            let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let name = ServerName::try_from(host).map_err(|error| failed(&error))?;
            let tls = this.tls.connect(name, tcp).await.map_err(|error| failed(&error))?;
            Ok(TokioIo::new(Stream::Tls(Box::new(tls))))
        })
    }
}

/// The allowed addresses of a URI, at least one.
pub(crate) async fn resolve(uri: &Uri, reach: Reach) -> Result<Vec<SocketAddr>, Refusal> {
    let secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") if reach == Reach::Anywhere => false,
        _ => return Err(Refusal::Scheme),
    };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
    // A literal address resolves to itself, so it is checked like any other.
    let found =
        tokio::net::lookup_host((host, port)).await.map_err(|error| Refusal::Resolve(error.to_string()))?;
    let found: Vec<SocketAddr> = found.collect();
    let allowed: Vec<SocketAddr> =
        found.iter().copied().filter(|address| reach == Reach::Anywhere || is_public(address.ip())).collect();
    match (allowed.is_empty(), found.first()) {
        (false, _) => Ok(allowed),
        (true, Some(inside)) => Err(Refusal::Address { address: inside.ip() }),
        (true, None) => Err(Refusal::Resolve("it has no address".to_owned())),
    }
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, Refusal> {
    let mut last = Refusal::Connect("there is no address".to_owned());
    for address in addresses {
        match tokio::time::timeout(CONNECT_TIME_MAX, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => last = Refusal::Connect(error.to_string()),
            Err(_) => last = Refusal::Connect("it takes too long".to_owned()),
        }
    }
    Err(last)
}

/// A connection, plain or under TLS.
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
