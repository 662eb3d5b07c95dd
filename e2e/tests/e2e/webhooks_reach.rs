//! Where webhooks may go: to the public internet, over https, and nowhere else unless it is allowed.

use std::net::TcpListener;

use frontdesk_e2e::{App, on_every_engine};
use serde_json::{Value, json};

use crate::shapes::text;
use crate::webhooks_scene::{PRIVATE_TARGETS, Scene, hook, state};

on_every_engine! {
    an_address_that_is_not_public_is_refused,
    an_address_that_cannot_be_reached_now_is_taken,
    every_attempt_looks_at_the_address_again,
}

/// Ways to say an address that is not on the public internet.
const INSIDE: &[&str] = &[
    "https://127.0.0.1",
    "https://127.0.0.1:8443/hook",
    "https://127.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://2130706433",
    "https://0x7f000001/",
    "https://017700000001/",
    "https://localhost",
    "https://LOCALHOST:8443/hook",
    "https://10.0.0.1",
    "https://172.16.5.4/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[::1]",
    "https://[::]/",
    "https://[fc00::1]/",
    "https://[fe80::1]/",
    "https://[fd00:ec2::254]/",
    "https://[::ffff:127.0.0.1]",
    "https://[::ffff:a00:1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[2002:7f00:1::1]/",
];

fn an_address_that_is_not_public_is_refused(app: App) {
    let client = app.tenant().client;
    let made = hook(&client, json!({ "url": "https://8.8.8.8/hook" }));
    let refused = |url: &str, words: &str| {
        for response in
            [client.post("/webhooks", json!({ "url": url })), client.patch(&made.path, json!({ "url": url }))]
        {
            let response = response.expect(400);
            let error = response.error("validation_error");
            response.details_at(&["url"]);
            assert!(text(&error["details"][0]["message"]).contains(words), "{url}: {}", response.text);
        }
    };
    for url in INSIDE {
        refused(url, "public internet");
        refused(url, "FRONTDESK_ALLOW_PRIVATE_TARGETS=true");
    }
    for url in ["http://example.com/hook", "http://8.8.8.8/", "http://127.0.0.1/", "HTTP://example.com/"] {
        refused(url, "https");
        refused(url, "FRONTDESK_ALLOW_PRIVATE_TARGETS=true");
    }
    for url in ["https://ann:secret@example.com/", "https://ann@8.8.8.8/", "https://example.com@127.0.0.1/"] {
        refused(url, "password");
    }
    let listed = client.get("/webhooks").expect(200);
    assert_eq!(
        (listed.data().as_array().unwrap().len(), &listed.data()[0]["url"]),
        (1, &json!("https://8.8.8.8/hook"))
    );
}

fn an_address_that_cannot_be_reached_now_is_taken(app: App) {
    let client = app.tenant().client;
    for url in [
        "https://example.com",
        "https://nowhere.invalid/hook?x=1",
        "https://8.8.8.8:8443/hook",
        "https://[2606:4700::1111]/",
        "https://[::ffff:8.8.8.8]/",
    ] {
        let made = hook(&client, json!({ "url": url }));
        assert_eq!(client.get(&made.path).expect(200).data()["url"], url);
    }
}

fn every_attempt_looks_at_the_address_again(scene: Scene) {
    let port = scene.sink.port();
    let made = [
        (format!("https://127.0.0.1:{port}/hook"), "not on the public internet"),
        (format!("https://localhost:{port}/hook"), "not on the public internet"),
        (format!("https://[::ffff:127.0.0.1]:{port}/hook"), "not on the public internet"),
        (format!("http://127.0.0.1:{port}/hook"), "https"),
    ]
    .map(|(url, why)| (hook(&scene.client, json!({ "url": url })), why));
    // Whoever connects is noticed, whatever it says.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let knock = format!("https://{}/", listener.local_addr().unwrap());
    hook(&scene.client, json!({ "url": knock }));
    scene.app.restart_with(&[(PRIVATE_TARGETS, "false")]);
    scene.contact();
    scene.settle();
    for (made, why) in &made {
        let delivery = scene.delivery(made);
        assert_eq!(state(&delivery), ("failed", 1));
        assert!(text(&delivery["last_error"]).contains(why), "{delivery}");
        assert_eq!(
            (&delivery["last_status_code"], &delivery["next_attempt_at"]),
            (&Value::Null, &Value::Null)
        );
        // That is no fault of the endpoint's that would switch it off at once.
        assert_eq!(scene.endpoint(made)["enabled"], true);
    }
    assert!(listener.accept().is_err(), "a connection was made");
    assert_eq!(scene.sink.received().len(), 0);
    // Allowed again, the same deliveries can be had.
    scene.app.restart();
    let (plain, _) = &made[3];
    scene.retry(plain, &scene.delivery(plain)).expect(202);
    scene.settle();
    assert_eq!((state(&scene.delivery(plain)), scene.sink.count("/hook")), (("succeeded", 2), 1));
}
