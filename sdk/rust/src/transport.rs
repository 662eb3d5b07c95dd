//! Connections to the server: TCP, TLS and a pool of them.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The time for a connection with its TLS handshake.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// Makes connections for hyper's client.
#[derive(Clone)]
pub(crate) struct Connector {
    #[cfg(feature = "tls")]
    tls: tokio_rustls::TlsConnector,
}

impl Connector {
    /// Trusts the roots of the web and these certificates, in DER.
    #[cfg(feature = "tls")]
    pub(crate) fn new(more_roots: Vec<Vec<u8>>) -> Result<Self, rustls::Error> {
        use std::sync::Arc;

        let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for root in more_roots {
            roots.add(root.into())?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { tls: Arc::new(config).into() })
    }

    #[cfg(not(feature = "tls"))]
    pub(crate) fn new() -> Self {
        Self {}
    }

    async fn connect(self, uri: Uri) -> io::Result<Stream> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let is_secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        let tcp = TcpStream::connect((host, port)).await?;
        tcp.set_nodelay(true)?;
        if !is_secure {
            return Ok(Stream::Plain(tcp));
        }
        #[cfg(feature = "tls")]
        {
            let name = rustls::pki_types::ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
            Ok(Stream::Tls(Box::new(self.tls.connect(name, tcp).await?)))
        }
        #[cfg(not(feature = "tls"))]
        Err(io::Error::new(io::ErrorKind::Unsupported, "https needs the feature `tls`"))
    }
}

impl tower_service::Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            match tokio::time::timeout(CONNECT_TIME_MAX, this.connect(uri)).await {
                Ok(connected) => connected.map(TokioIo::new),
                Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "connecting takes too long")),
            }
        })
    }
}

/// A connection.
pub(crate) enum Stream {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<tokio_rustls::client::TlsStream<TcpStream>>),
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

/// Calls a method of the connection, whichever it is.
macro_rules! of_either {
    ($stream:ident.$method:ident($($argument:ident),*)) => {
        match $stream.get_mut() {
            Stream::Plain(tcp) => Pin::new(tcp).$method($($argument),*),
            #[cfg(feature = "tls")]
            Stream::Tls(tls) => Pin::new(tls).$method($($argument),*),
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        of_either!(self.poll_read(cx, buf))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        of_either!(self.poll_write(cx, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self.poll_shutdown(cx))
    }
}
