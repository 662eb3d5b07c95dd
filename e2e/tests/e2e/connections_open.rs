//! How many connections a server keeps open.

use frontdesk_e2e::{App, Engine, Wire, came_true, on_every_engine};

on_every_engine! {
    a_server_with_too_many_connections_says_so_and_recovers,
}

const CONNECTIONS: usize = 8;

fn a_server_with_too_many_connections_says_so_and_recovers(engine: Engine) {
    let start = App::start(engine).env("FRONTDESK_CONNECTIONS_MAX", &CONNECTIONS.to_string());
    let app = start.env("FRONTDESK_CHAT_STREAMS", "1").ready();
    let ask = |wire: &mut Wire| wire.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").map(|()| wire.answer());
    let mut wires: Vec<Wire> = (0..CONNECTIONS).map(|_| app.wire()).collect();
    // Connections of earlier calls may still be about to close.
    assert!(came_true(|| {
        wires.retain_mut(|wire| ask(wire).is_ok_and(|answer| answer.status == 200));
        wires.resize_with(CONNECTIONS, || app.wire());
        wires.iter_mut().all(|wire| ask(wire).is_ok_and(|answer| answer.status == 200))
    }));
    let refused = app.anonymous().outside().get("/healthz").expect(503);
    refused.error("internal");
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert_eq!(refused.header("connection"), Some("close"));
    // Those who are connected are still served.
    for wire in &mut wires {
        ask(wire).expect("it is sent").expect(200);
    }
    wires.pop();
    assert!(came_true(|| app.anonymous().outside().get("/healthz").status == 200), "it never recovered");
}
