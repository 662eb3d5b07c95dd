//! TLS with a real server, which `scripts/services` starts with a certificate for `localhost`.

use std::path::PathBuf;

use frontdesk_testdb::postgres_server;

use super::super::session::Session;
use crate::only;

/// A URL of the server by this name, with these parameters.
fn url(user: &str, name: &str, parameters: &str) -> String {
    let server = postgres_server().expect("there is a test server");
    let (_, port) = server.trim_end_matches("/postgres").rsplit_once(':').expect("a port");
    format!("postgres://{user}@{name}:{port}/postgres?hostaddr=127.0.0.1&{parameters}")
}

fn file(name: &str) -> String {
    let directory = std::env::var("FRONTDESK_TEST_TLS").expect("run the tests with `make test`");
    PathBuf::from(directory).join(name).display().to_string()
}

/// Whether the connection is encrypted, or why there is none.
fn try_url(url: &str) -> Result<bool, String> {
    let mut session = Session::connect(url).map_err(|error| error.to_string())?;
    let asked = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let encrypted = session.query(asked, &[], only::<bool>).map_err(|error| error.to_string())?;
    Ok(encrypted == [true])
}

fn try_as(name: &str, parameters: &str) -> Result<bool, String> {
    try_url(&url("postgres", name, parameters))
}

#[test]
fn each_sslmode_does_what_it_says() {
    let (ca, other) = (file("ca.pem"), file("other.pem"));
    let with = |mode: &str, root: &str| format!("sslmode={mode}&sslrootcert={root}");
    assert_eq!(try_as("localhost", "sslmode=disable"), Ok(false));
    for parameters in ["", "sslmode=prefer", "sslmode=require"] {
        assert_eq!(try_as("127.0.0.1", parameters), Ok(true), "{parameters}");
    }
    assert_eq!(try_as("127.0.0.1", &with("verify-ca", &ca)), Ok(true), "whatever the name");
    assert_eq!(try_as("localhost", &with("verify-full", &ca)), Ok(true));

    let refused = |name: &str, parameters: &str| try_as(name, parameters).unwrap_err();
    for mode in ["verify-ca", "verify-full", "require"] {
        let why = refused("localhost", &with(mode, &other));
        assert!(why.contains("UnknownIssuer"), "{mode}: {why}");
    }
    for name in ["127.0.0.1", "elsewhere.example"] {
        let why = refused(name, &with("verify-full", &ca));
        assert!(why.contains("not valid for name"), "{name}: {why}");
    }
    // The public authorities did not sign it.
    assert!(refused("localhost", "sslmode=verify-full").contains("UnknownIssuer"));
    assert!(refused("localhost", "sslrootcert=system").contains("UnknownIssuer"));
    let why = refused("localhost", &with("verify-full", "/nowhere/ca.pem"));
    assert!(why.contains("sslrootcert: /nowhere/ca.pem cannot be used"), "{why}");
    let why = refused("localhost", &with("verify-full", &file("ca.key")));
    assert!(why.contains("it holds no certificate"), "{why}");
}

#[test]
fn a_login_is_bound_to_its_tls_connection() {
    let mut admin = Session::connect(&url("postgres", "localhost", "sslmode=disable")).unwrap();
    admin
        .batch(
            "SET password_encryption = 'scram-sha-256';
             DO $$ BEGIN CREATE ROLE scrammed LOGIN PASSWORD 'open sesame';
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
        )
        .unwrap();
    let try_with = |password: &str, parameters: &str| {
        try_url(&url(&format!("scrammed:{password}"), "localhost", parameters))
    };
    for binding in ["prefer", "require", "disable"] {
        let parameters = format!("sslmode=require&channel_binding={binding}");
        assert_eq!(try_with("open%20sesame", &parameters), Ok(true), "{binding}");
        let why = try_with("wrong", &parameters).unwrap_err();
        assert!(why.contains("password authentication failed"), "{binding}: {why}");
    }
    assert_eq!(try_with("open%20sesame", "sslmode=disable"), Ok(false));
    let why = try_with("open%20sesame", "sslmode=disable&channel_binding=require").unwrap_err();
    assert!(why.contains("channel_binding=require"), "{why}");
    // Without a password there is no channel binding.
    let why = try_as("localhost", "sslmode=require&channel_binding=require").unwrap_err();
    assert!(why.contains("channel_binding=require"), "{why}");
}

#[test]
fn a_client_certificate_is_a_login() {
    let mut admin = Session::connect(&url("postgres", "localhost", "sslmode=disable")).unwrap();
    admin
        .batch(
            "DO $$ BEGIN CREATE ROLE certified LOGIN;
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
        )
        .unwrap();
    let (certificate, key) = (file("client.pem"), file("client.key"));
    let parameters = format!("sslmode=verify-full&sslrootcert={}", file("ca.pem"));
    let with = format!("{parameters}&sslcert={certificate}&sslkey={key}");
    assert_eq!(try_url(&url("certified", "localhost", &with)), Ok(true));
    let why = try_url(&url("certified", "localhost", &parameters)).unwrap_err();
    assert!(why.contains("certificate"), "{why}");
    let swapped = format!("{parameters}&sslcert={certificate}&sslkey={}", file("other.key"));
    let why = try_url(&url("certified", "localhost", &swapped)).unwrap_err();
    assert!(why.contains("sslcert and sslkey do not make a pair"), "{why}");
}

#[test]
fn large_values_pass_through_tls_whole() {
    let parameters = format!("sslmode=verify-full&sslrootcert={}", file("ca.pem"));
    let mut session = Session::connect(&url("postgres", "localhost", &parameters)).unwrap();
    let text = "frontdesk ".repeat(100_000);
    let back = session.query::<String>("SELECT $1::text || $1::text", &[&text], only).unwrap();
    assert_eq!(back, [text.repeat(2)]);
}

#[test]
fn keepalive_is_on_as_the_url_says() {
    use super::super::connect_options::ConnectOptions;
    use super::super::socket::{Address, Socket};
    let probes = |parameters: &str| {
        let options = ConnectOptions::parse(&url("postgres", "localhost", parameters)).unwrap();
        let address = &Address::of(&options.hosts[0]).unwrap()[0];
        let Ok(Socket::Tcp(stream)) = address.connect(&options, None, false) else { panic!("no socket") };
        let socket = socket2::SockRef::from(&stream);
        let idle = socket.tcp_keepalive_time().unwrap().as_secs();
        (socket.keepalive().unwrap(), idle, socket.tcp_user_timeout().unwrap())
    };
    assert_eq!(probes(""), (true, 60, None));
    let (on, idle, timeout) = probes("keepalives_idle=7&tcp_user_timeout=9000");
    assert_eq!((on, idle, timeout.map(|timeout| timeout.as_secs())), (true, 7, Some(9)));
    assert!(!probes("keepalives=0").0);
}
