//! The socket to PostgreSQL: TCP, or one of this machine's own.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use postgres::Config;
use postgres::config::Host;

const PORT_DEFAULT: u16 = 5432;

pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Every address that a configuration names, in its order.
    pub(super) fn addresses(config: &Config) -> Vec<Address<'_>> {
        let ports = config.get_ports();
        let port = |at: usize| ports.get(at).or_else(|| ports.first()).copied().unwrap_or(PORT_DEFAULT);
        let hosts = config.get_hosts().iter().enumerate();
        let mut addresses: Vec<_> = hosts.map(|(at, host)| Address { host, port: port(at) }).collect();
        addresses.dedup();
        addresses
    }

    /// Reading and writing fail once the other side has been silent for so long.
    pub(super) fn set_patience(&self, patience: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => {
                stream.set_read_timeout(Some(patience))?;
                stream.set_write_timeout(Some(patience))
            }
            Self::Unix(stream) => {
                stream.set_read_timeout(Some(patience))?;
                stream.set_write_timeout(Some(patience))
            }
        }
    }
}

/// One of the places where a database may be found.
#[derive(PartialEq)]
pub(super) struct Address<'c> {
    host: &'c Host,
    port: u16,
}

impl Address<'_> {
    pub(super) fn connect(&self, patience: Duration) -> io::Result<Socket> {
        match self.host {
            Host::Tcp(name) => connect_tcp(name, self.port, patience),
            Host::Unix(directory) => connect_unix(directory, self.port),
        }
    }
}

fn connect_tcp(name: &str, port: u16, patience: Duration) -> io::Result<Socket> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, format!("{name} has no address"));
    for address in (name, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(Socket::Tcp(stream));
            }
            Err(error) => failure = io::Error::new(error.kind(), format!("{address}: {error}")),
        }
    }
    Err(failure)
}

fn connect_unix(directory: &Path, port: u16) -> io::Result<Socket> {
    let path = directory.join(format!(".s.PGSQL.{port}"));
    let stream = UnixStream::connect(&path);
    stream
        .map(Socket::Unix)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

impl Read for Socket {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(bytes),
            Self::Unix(stream) => stream.read(bytes),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
