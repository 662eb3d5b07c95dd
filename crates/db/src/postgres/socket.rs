//! The socket to PostgreSQL: TCP, TLS over TCP, or a Unix socket.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};

use super::binding;
use super::connect_options::{ConnectOptions, Host, HostAddress};
use super::tls::{self, Tls, TlsStream};

pub(super) enum Socket {
    Tcp(TcpStream),
    Tls(Box<TlsStream>),
    Unix(UnixStream),
}

/// One address of a server.
#[derive(Clone, Debug)]
pub(super) enum Address {
    /// With the name that the server's certificate must have.
    Tcp(SocketAddr, String),
    Unix(PathBuf),
}

/// A failed connection, and whether TLS is the cause.
pub(super) struct ConnectFailure {
    pub(super) why: String,
    pub(super) tls: bool,
}

impl Address {
    /// Every address of a host, in the resolver's order.
    pub(super) fn of(host: &Host) -> io::Result<Vec<Self>> {
        let tcp = |address: IpAddr, name: &str| Self::Tcp((address, host.port).into(), name.to_owned());
        match &host.place {
            HostAddress::Unix(directory) => {
                Ok(vec![Self::Unix(directory.join(format!(".s.PGSQL.{}", host.port)))])
            }
            HostAddress::Tcp(name, Some(address)) => Ok(vec![tcp(*address, name)]),
            HostAddress::Tcp(name, None) => {
                let found = (name.as_str(), host.port).to_socket_addrs();
                let found =
                    found.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
                Ok(found.map(|address| tcp(address.ip(), name)).collect())
            }
        }
    }

    /// The address for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Tcp(address, _) => address.to_string(),
            Self::Unix(path) => path.display().to_string(),
        }
    }

    /// Connects, with TLS if it is configured and the server supports it. A server without TLS is an error
    /// only if TLS is required.
    pub(super) fn connect(
        &self,
        options: &ConnectOptions,
        tls: Option<&Tls>,
        must: bool,
    ) -> Result<Socket, ConnectFailure> {
        match self {
            Self::Unix(path) => connect_unix(path)
                .map_err(|error| ConnectFailure { why: format!("{}: {error}", path.display()), tls: false }),
            Self::Tcp(address, name) => {
                let fail =
                    |tls| move |error: io::Error| ConnectFailure { why: format!("{address}: {error}"), tls };
                let mut tcp = connect_tcp(address, options).map_err(fail(false))?;
                let Some(tls) = tls else { return Ok(Socket::Tcp(tcp)) };
                if tls::is_offered(&mut tcp).map_err(fail(false))? {
                    let stream = tls.handshake(tcp, name).map_err(|error| ConnectFailure {
                        why: format!("{address}: TLS with {name} failed: {error}"),
                        tls: true,
                    })?;
                    return Ok(Socket::Tls(Box::new(stream)));
                }
                if must {
                    let why = "the server has no TLS: set ssl = on in its postgresql.conf, or choose another sslmode";
                    return Err(ConnectFailure { why: format!("{address}: {why}"), tls: true });
                }
                Ok(Socket::Tcp(tcp))
            }
        }
    }
}

impl Socket {
    /// Reading and writing fail once the server has been silent for this long. None waits as long as the
    /// connection lives, which keepalive detects.
    pub(super) fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => set_timeout(stream, timeout),
            Self::Tls(stream) => set_timeout(&stream.sock, timeout),
            Self::Unix(stream) => {
                stream.set_read_timeout(timeout)?;
                stream.set_write_timeout(timeout)
            }
        }
    }

    pub(super) fn is_encrypted(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// The data for channel binding: a hash of the server's certificate.
    pub(super) fn end_point(&self) -> Option<Vec<u8>> {
        let Self::Tls(stream) = self else { return None };
        binding::end_point(stream.conn.peer_certificates()?.first()?)
    }
}

fn set_timeout(stream: &TcpStream, timeout: Option<Duration>) -> io::Result<()> {
    stream.set_read_timeout(timeout)?;
    stream.set_write_timeout(timeout)
}

fn connect_tcp(address: &SocketAddr, options: &ConnectOptions) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(address, options.connect_time_max)?;
    stream.set_nodelay(true)?;
    set_timeout(&stream, Some(options.connect_time_max))?;
    let socket = SockRef::from(&stream);
    if let Some(keepalive) = options.keepalive {
        let probes = TcpKeepalive::new().with_time(keepalive.idle).with_interval(keepalive.interval);
        socket.set_tcp_keepalive(&probes.with_retries(keepalive.count))?;
    }
    #[cfg(target_os = "linux")]
    if let Some(timeout) = options.user_timeout {
        socket.set_tcp_user_timeout(Some(timeout))?;
    }
    Ok(stream)
}

fn connect_unix(path: &Path) -> io::Result<Socket> {
    UnixStream::connect(path).map(Socket::Unix)
}

impl Read for Socket {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(bytes),
            Self::Tls(stream) => stream.read(bytes),
            Self::Unix(stream) => stream.read(bytes),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tls(stream) => stream.flush(),
            Self::Tcp(_) | Self::Unix(_) => Ok(()),
        }
    }
}
