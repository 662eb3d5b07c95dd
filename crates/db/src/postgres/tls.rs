//! TLS to PostgreSQL: whether to use it, and what to check of the server's certificate.
//!
//! | `sslmode` | encrypted | certificate's authority | certificate's name |
//! |---|---|---|---|
//! | `prefer` | if the server can | not checked | not checked |
//! | `require` | yes | not checked | not checked |
//! | `verify-ca` | yes | checked | not checked |
//! | `verify-full` | yes | checked | checked |

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_cert_signed_by_trust_anchor};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme, StreamOwned,
};

use super::connect_options::{Roots, SslMode, TlsOptions};
use super::params::invalid;
use crate::error::Result;

pub(super) type TlsStream = StreamOwned<ClientConnection, TcpStream>;

/// The server's response to a client that requests TLS.
const YES: u8 = b'S';
const NO: u8 = b'N';

#[derive(Debug)]
pub(super) struct Tls {
    config: Arc<ClientConfig>,
}

impl Tls {
    /// None if TLS is disabled. The files are read for every connection, so a renewed certificate is used at
    /// once.
    pub(super) fn new(options: &TlsOptions) -> Result<Option<Self>> {
        if options.mode == SslMode::Disable {
            return Ok(None);
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = verifier(options, &provider)?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(invalid)?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let config = match &options.client {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let key =
                    PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("sslkey", key, error))?;
                let chain = certificates("sslcert", certificate)?;
                config
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| invalid(format!("sslcert and sslkey do not make a pair: {error}")))?
            }
        };
        Ok(Some(Self { config: Arc::new(config) }))
    }

    /// Makes the handshake. The server has already agreed to TLS.
    pub(super) fn handshake(&self, tcp: TcpStream, name: &str) -> io::Result<TlsStream> {
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        let connection = ClientConnection::new(self.config.clone(), name).map_err(io::Error::other)?;
        let mut stream = StreamOwned::new(connection, tcp);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(stream)
    }
}

/// Asks the server whether it supports TLS. Reads exactly one byte: unencrypted bytes after it could be
/// injected.
pub(super) fn is_offered(tcp: &mut TcpStream) -> io::Result<bool> {
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    tcp.write_all(&request)?;
    let mut response = [0];
    tcp.read_exact(&mut response)?;
    match response[0] {
        YES => Ok(true),
        NO => Ok(false),
        _ => Err(io::Error::other("it answered the request for TLS with something else: is it PostgreSQL?")),
    }
}

fn verifier(options: &TlsOptions, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>> {
    let algorithms = provider.signature_verification_algorithms;
    let roots = Arc::new(match &options.roots {
        Roots::File(path) => authorities(path)?,
        Roots::System | Roots::Unset => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
    });
    Ok(match options.mode {
        SslMode::Disable | SslMode::Prefer | SslMode::Require => {
            Arc::new(AnyName { roots: None, algorithms })
        }
        SslMode::VerifyCa => Arc::new(AnyName { roots: Some(roots), algorithms }),
        SslMode::VerifyFull => {
            WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build().map_err(invalid)?
        }
    })
}

fn authorities(path: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates("sslrootcert", path)? {
        roots.add(certificate).map_err(|error| unreadable("sslrootcert", path, error))?;
    }
    Ok(roots)
}

fn certificates(parameter: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read =
        CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>);
    let found = read.map_err(|error| unreadable(parameter, path, error))?;
    if found.is_empty() {
        return Err(unreadable(parameter, path, "it holds no certificate in PEM form"));
    }
    Ok(found)
}

fn unreadable(parameter: &str, path: &Path, why: impl ToString) -> crate::error::Error {
    invalid(format!("{parameter}: {} cannot be used: {}", path.display(), why.to_string()))
}

/// Accepts a certificate with any name; of any authority, or of one of these.
#[derive(Debug)]
struct AnyName {
    roots: Option<Arc<RootCertStore>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let Some(roots) = &self.roots {
            let certificate = ParsedCertificate::try_from(certificate)?;
            let algorithms = self.algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&certificate, roots, intermediates, now, algorithms)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
