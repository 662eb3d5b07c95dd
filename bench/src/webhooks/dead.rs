//! A dead endpoint.

use std::net::SocketAddr;

use tokio::net::TcpSocket;

use crate::error::Result;

/// An address that refuses connections. While this value lives, no other process can bind the address.
pub(super) struct Dead {
    pub(super) address: SocketAddr,
    _socket: TcpSocket,
}

impl Dead {
    pub(super) fn new() -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        Ok(Self { address: socket.local_addr()?, _socket: socket })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::net::TcpStream;

    #[test]
    fn the_dead_refuse() {
        let refused = TcpStream::connect(Dead::new().unwrap().address).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    }
}
