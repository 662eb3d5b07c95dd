//! The address that a test calls from.
//!
//! A server counts failed authentications and visitors for each address. Tests that use a server one after the other call it
//! from different addresses of the loopback network, so that they are counted separately.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};

use socket2::{Domain, Socket, Type};
use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};

use crate::until::PATIENCE;

/// Where a test's connections come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallerAddress {
    /// `127.0.0.1`.
    #[default]
    Usual,
    /// An address that no other test calls from.
    Own(Ipv4Addr),
}

impl CallerAddress {
    /// An address that was not used before: 127.1.0.1, 127.1.0.2, …
    pub(crate) fn unused() -> Self {
        static USED: AtomicU32 = AtomicU32::new(0);
        let number = USED.fetch_add(1, Ordering::Relaxed) + 1;
        let [_, high, middle, low] = number.to_be_bytes();
        Self::Own(Ipv4Addr::new(127, 1 + high, middle, low))
    }

    pub(crate) fn connect(self, to: SocketAddr) -> io::Result<TcpStream> {
        let stream: TcpStream = match self {
            Self::Usual => TcpStream::connect(to)?,
            Self::Own(address) => {
                let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
                socket.bind(&SocketAddr::from((address, 0)).into())?;
                socket.connect(&to.into())?;
                socket.into()
            }
        };
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

/// Reads what has come. A read that has a timeout ends early when a signal reaches this process, as it may when a child of it
/// ends; such a read begins anew.
pub fn read_some(stream: &mut TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

impl Connector for CallerAddress {
    type Out = Connection;

    fn connect(&self, details: &ConnectionDetails<'_>, _: Option<()>) -> Result<Option<Connection>, Error> {
        let to = details.addrs.first().copied().ok_or(Error::HostNotFound)?;
        let buffers =
            LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Connection { stream: Self::connect(*self, to)?, buffers }))
    }
}

/// A connection for one request.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffers: LazyBuffers,
}

impl Transport for Connection {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        self.stream.write_all(&self.buffers.output()[..amount])?;
        Ok(())
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        let amount = read_some(&mut self.stream, self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        // It is not used again.
        false
    }
}
