//! How many connections a server keeps open.

use frontdesk_e2e::{App, Engine, Wire, came_true, on_sqlite};

on_sqlite! {
    a_server_with_too_many_connections_says_so_and_recovers,
}

const CONNECTIONS: usize = 8;

/// Asks for something on a connection: the status.
fn ask(wire: &mut Wire) -> Option<u16> {
    wire.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").ok()?;
    wire.try_answer().ok().map(|response| response.status)
}

fn a_server_with_too_many_connections_says_so_and_recovers(engine: Engine) {
    let start = App::start(engine).env("FRONTDESK_CONNECTIONS_MAX", &CONNECTIONS.to_string());
    let app = start.env("FRONTDESK_CHAT_STREAMS", "1").ready();
    let mut open = Vec::new();
    // The server's own calls to its sandbox may hold some, too.
    let refused = (0..=CONNECTIONS).find_map(|_| {
        let mut wire = app.wire();
        let status = ask(&mut wire);
        open.extend((status == Some(200)).then_some(wire));
        status.filter(|status| *status != 200)
    });
    assert_eq!(refused, Some(503));
    let refused = app.anonymous().vendors().get("/healthz").expect(503);
    assert_eq!(refused.json["error"]["code"], "internal");
    assert_eq!((refused.header("retry-after"), refused.header("connection")), (Some("5"), Some("close")));
    // Those who are connected are still served.
    assert!(open.len() >= CONNECTIONS / 2, "{} connections", open.len());
    assert!(open.iter_mut().all(|wire| ask(wire) == Some(200)));
    open.pop();
    assert!(came_true(|| app.anonymous().vendors().get("/healthz").status == 200), "it never recovered");
}
