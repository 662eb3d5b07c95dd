//! Several hosts, and TLS that a server does not have.

use super::super::session::Session;
use super::scripted::{
    Peer, Script, Scripted, authentication_ok, command, error, key, ready, row, row_description,
};

/// Logs the client in, and answers whether the server is read-only or a standby.
fn is(response: &'static str, taken: bool) -> Script {
    Box::new(move |peer: &mut Peer| {
        peer.startup();
        peer.send(&[authentication_ok(), key(), ready(b'I')]);
        peer.group();
        peer.send(&[row_description(), row(response), command("SHOW"), ready(b'I')]);
        if taken {
            peer.take_settings();
        }
        peer.until_gone();
    })
}

fn refuses(code: &'static str) -> Script {
    Box::new(move |peer: &mut Peer| {
        peer.startup();
        peer.send(&[error("FATAL", code, "not you")]);
    })
}

fn connect(servers: &[&Scripted], parameters: &str) -> Result<(), String> {
    let hosts: Vec<_> = servers.iter().map(|server| format!("127.0.0.1:{}", server.port())).collect();
    let url = format!("postgres://someone@{}/x?sslmode=disable&{parameters}", hosts.join(","));
    Session::connect(&url).map(drop).map_err(|error| error.to_string())
}

#[test]
fn the_host_that_can_be_written_to_is_taken() {
    // Also by default, because we write.
    for parameters in ["target_session_attrs=read-write", "target_session_attrs=primary", ""] {
        let (standby, primary) = (Scripted::start([is("on", false)]), Scripted::start([is("off", true)]));
        connect(&[&standby, &primary], parameters).unwrap();
        standby.end();
        primary.end();
    }
}

#[test]
fn a_host_that_is_not_what_was_asked_for_is_refused() {
    let primary = Scripted::start([is("off", false)]);
    let refused = connect(&[&primary], "target_session_attrs=standby").unwrap_err();
    assert!(refused.contains("target_session_attrs"), "{refused}");
    primary.end();
    let standby = Scripted::start([is("on", true)]);
    connect(&[&standby], "target_session_attrs=read-only").unwrap();
    standby.end();
}

#[test]
fn a_standby_is_preferred_and_a_primary_will_do() {
    let any: Script = Box::new(|peer: &mut Peer| {
        peer.welcome();
        peer.until_gone();
    });
    let primary = Scripted::start([is("off", false), any]);
    connect(&[&primary], "target_session_attrs=prefer-standby").unwrap();
    primary.end();
}

#[test]
fn a_host_that_is_starting_is_passed_over_and_a_wrong_password_is_not() {
    let (starting, ready) = (Scripted::start([refuses("57P03")]), Scripted::start([is("off", true)]));
    connect(&[&starting, &ready], "").unwrap();
    starting.end();
    ready.end();
    let refusing = Scripted::start([refuses("28P01")]);
    let refused = connect(&[&refusing, &refusing], "").unwrap_err();
    assert!(refused.contains("not you"), "{refused}");
    refusing.end();
}

#[test]
fn every_host_that_cannot_be_reached_is_named() {
    let refused = Session::connect("postgres://u@127.0.0.1:1,127.0.0.1:2/x").err().unwrap().to_string();
    assert!(refused.contains("127.0.0.1:1") && refused.contains("127.0.0.1:2"), "{refused}");
}

#[test]
fn a_server_without_tls_is_taken_only_where_tls_is_not_a_must() {
    let script = || -> Script {
        Box::new(|peer: &mut Peer| {
            peer.refuse_tls(b'N');
            peer.welcome();
            peer.until_gone();
        })
    };
    let server = Scripted::start([script()]);
    Session::connect(&server.url("sslmode=prefer")).unwrap();
    server.end();
    let server = Scripted::start([Box::new(|peer: &mut Peer| {
        peer.refuse_tls(b'N');
        peer.until_gone();
    })]);
    let refused = Session::connect(&server.url("sslmode=require")).err().unwrap().to_string();
    assert!(refused.contains("the server has no TLS"), "{refused}");
    server.end();
}

#[test]
fn a_server_whose_tls_fails_is_spoken_to_without_it_only_if_that_is_allowed() {
    let broken = || -> Script {
        Box::new(|peer: &mut Peer| {
            peer.refuse_tls(b'S');
            peer.send(&[b"this is no handshake".to_vec()]);
            peer.until_gone();
        })
    };
    let server = Scripted::start([
        broken(),
        Box::new(|peer: &mut Peer| {
            peer.welcome();
            peer.until_gone();
        }),
    ]);
    Session::connect(&server.url("sslmode=prefer")).unwrap();
    server.end();
    let server = Scripted::start([broken()]);
    let refused = Session::connect(&server.url("sslmode=require")).err().unwrap().to_string();
    assert!(refused.contains("TLS with 127.0.0.1 failed"), "{refused}");
    server.end();
    let server = Scripted::start([Box::new(|peer: &mut Peer| peer.refuse_tls(b'H'))]);
    let refused = Session::connect(&server.url("")).err().unwrap().to_string();
    assert!(refused.contains("is it PostgreSQL?"), "{refused}");
    server.end();
}

#[test]
fn channel_binding_that_is_a_must_is_not_done_without() {
    let server = Scripted::start([Box::new(|peer: &mut Peer| {
        peer.startup();
        peer.send(&[authentication_ok(), key(), ready(b'I')]);
        peer.until_gone();
    })]);
    let url = server.url("sslmode=disable&channel_binding=require");
    let refused = Session::connect(&url).err().unwrap().to_string();
    assert!(refused.contains("channel_binding=require"), "{refused}");
    server.end();
}
