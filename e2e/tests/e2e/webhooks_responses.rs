//! What an endpoint may answer, and what is made of it.

use std::time::Duration;

use frontdesk_e2e::{Reply, Stopwatch, on_every_engine};
use serde_json::{Value, json};

use crate::shapes::text;
use crate::webhooks_scene::{Hook, NOBODY, Scene, hook, state};

on_every_engine! {
    any_success_is_a_success_and_nothing_else_is,
    redirects_are_not_followed,
    a_410_disables_the_endpoint,
    a_missing_response_is_reported_with_its_cause,
    the_beginning_of_the_answer_is_kept_as_text,
    an_answer_without_end_is_read_only_so_far,
    an_answer_that_breaks_off_is_judged_by_its_status,
    an_endpoint_has_fifteen_seconds_and_delays_no_other,
}

fn any_success_is_a_success_and_nothing_else_is(scene: Scene) {
    let responses = [200, 201, 202, 204, 299, 301, 304, 400, 401, 404, 408, 422, 429, 500, 503, 599];
    let hooks = responses.map(|status| {
        let path = format!("/{status}");
        scene.sink.respond(&path, Reply::status(status));
        (status, scene.hook(&path))
    });
    scene.contact();
    scene.settle();
    for (status, made) in &hooks {
        let delivery = scene.delivery(made);
        let is_success = (200..300).contains(status);
        assert_eq!(state(&delivery), (if is_success { "succeeded" } else { "pending" }, 1), "{delivery}");
        assert_eq!(delivery["last_status_code"], json!(status));
        assert_eq!(delivery["last_error"].is_null(), is_success, "{delivery}");
        assert_eq!(delivery["delivered_at"].is_string(), is_success, "{delivery}");
        assert_eq!(delivery["next_attempt_at"].is_null(), is_success, "{delivery}");
        assert_eq!(scene.endpoint(made)["enabled"], true);
    }
}

fn redirects_are_not_followed(scene: Scene) {
    let elsewhere = scene.sink.url("/elsewhere");
    let hooks = [301, 302, 303, 307, 308].map(|status| {
        let path = format!("/{status}");
        scene.sink.respond(&path, Reply::status(status).header("location", &elsewhere));
        (status, scene.hook(&path))
    });
    scene.contact();
    scene.settle();
    for (status, made) in &hooks {
        let delivery = scene.delivery(made);
        assert_eq!((state(&delivery), &delivery["last_status_code"]), (("pending", 1), &json!(status)));
    }
    assert_eq!(scene.sink.count("/elsewhere"), 0);
}

fn a_410_disables_the_endpoint(scene: Scene) {
    scene.sink.answer_in_turn("/hook", [Reply::status(410).body("moved away")], Reply::default());
    let (gone, other) = (scene.hook("/hook"), scene.hook("/other"));
    scene.contact();
    scene.settle();
    let delivery = scene.delivery(&gone);
    assert_eq!(state(&delivery), ("failed", 1));
    assert_eq!((&delivery["last_status_code"], &delivery["next_attempt_at"]), (&json!(410), &Value::Null));
    assert_eq!(delivery["response_snippet"], "moved away");
    assert!(delivery["last_error"].is_string(), "{delivery}");
    let endpoint = scene.endpoint(&gone);
    assert_eq!(endpoint["enabled"], false);
    assert!(text(&endpoint["disabled_reason"]).contains("410"), "{endpoint}");
    assert_eq!(scene.endpoint(&other)["enabled"], true);
    // Nothing more is sent there.
    scene.contact();
    scene.advance(60);
    assert_eq!((scene.sink.count("/hook"), scene.deliveries(&gone).len()), (1, 1));
    assert_eq!(scene.sink.count("/other"), 2);
    // Until somebody switches it on again, which takes the reason away.
    let on = scene.client.patch(&gone.path, json!({ "enabled": true })).expect(200);
    assert_eq!((&on.data()["enabled"], &on.data()["disabled_reason"]), (&json!(true), &Value::Null));
    assert_eq!(&scene.endpoint(&gone), on.data());
    scene.contact();
    scene.settle();
    assert_eq!((scene.sink.count("/hook"), scene.deliveries(&gone).len()), (2, 2));
}

fn a_missing_response_is_reported_with_its_cause(scene: Scene) {
    scene.sink.respond("/closed", Reply::closed());
    let hooks = [
        (scene.hook("/closed"), "connection"),
        (hook(&scene.client, json!({ "url": NOBODY })), "refused"),
        (hook(&scene.client, json!({ "url": "http://nowhere.invalid/hook" })), "resolved"),
        // Nobody speaks TLS there.
        (hook(&scene.client, json!({ "url": format!("https://127.0.0.1:{}/", scene.sink.port()) })), "TLS"),
    ];
    scene.contact();
    scene.settle();
    for (made, told) in &hooks {
        let delivery = scene.delivery(made);
        assert_eq!(state(&delivery), ("pending", 1));
        assert!(text(&delivery["last_error"]).contains(told), "{delivery}");
        assert_eq!(
            (&delivery["last_status_code"], &delivery["response_snippet"]),
            (&Value::Null, &Value::Null)
        );
        assert!(delivery["duration_ms"].is_u64() && delivery["next_attempt_at"].is_string(), "{delivery}");
    }
}

fn the_beginning_of_the_answer_is_kept_as_text(scene: Scene) {
    let long = format!("x{}", "é".repeat(2_000));
    let responses = [
        ("/empty", Vec::new(), None),
        ("/short", b"ok, \"thanks\"\n".to_vec(), Some("ok, \"thanks\"\n".to_owned())),
        // The character that the limit would cut in two is left out.
        ("/long", long.clone().into_bytes(), Some(long[..1023].to_owned())),
        ("/bytes", b"a\xff\xfeb\0c".to_vec(), Some("a\u{FFFD}\u{FFFD}b\u{FFFD}c".to_owned())),
        ("/exact", vec![b'y'; 1024], Some("y".repeat(1024))),
    ];
    let kept = responses.map(|(path, body, kept)| {
        scene.sink.respond(path, Reply::status(200).body(body));
        (scene.hook(path), kept)
    });
    // Whatever it takes to write them as text, it is no more than 1 KB.
    let bad = [("/noughts", 0), ("/no-text", 0xff)].map(|(path, byte)| {
        scene.sink.respond(path, Reply::status(500).body(vec![byte; 5_000]));
        scene.hook(path)
    });
    scene.contact();
    scene.settle();
    for (made, kept) in kept {
        assert_eq!(scene.delivery(&made)["response_snippet"], json!(kept));
    }
    for made in bad {
        let delivery = scene.delivery(&made);
        let length = text(&delivery["response_snippet"]).len();
        assert!((1000..=1024).contains(&length), "{length} bytes are kept");
    }
}

fn an_answer_without_end_is_read_only_so_far(scene: Scene) {
    scene.sink.respond("/hook", Reply::status(200).body(vec![b'z'; 50 << 20]));
    let made = scene.hook("/hook");
    scene.contact();
    let asked = Stopwatch::start();
    scene.settle();
    assert!(asked.elapsed() < Duration::from_secs(5), "it took {:?}", asked.elapsed());
    let delivery = scene.delivery(&made);
    assert_eq!(state(&delivery), ("succeeded", 1));
    assert_eq!(text(&delivery["response_snippet"]), "z".repeat(1024));
}

/// An answer that promises more than it brings.
fn broken_off(status: u16) -> Reply {
    Reply::status(status).header("content-length", "100").body("only this")
}

fn an_answer_that_breaks_off_is_judged_by_its_status(scene: Scene) {
    let hooks = [(200, "succeeded"), (503, "pending"), (410, "failed")].map(|(status, then)| {
        let path = format!("/{status}");
        scene.sink.respond(&path, broken_off(status).hang_up());
        (status, then, scene.hook(&path))
    });
    scene.contact();
    scene.settle();
    for (status, then, made) in &hooks {
        let delivery = scene.delivery(made);
        assert_eq!((state(&delivery), &delivery["last_status_code"]), ((*then, 1), &json!(status)));
        assert_eq!(delivery["response_snippet"], "only this");
    }
}

/// The longest time from an event to its arrival at the other endpoint.
fn slowest(scene: &Scene, path: &str, events: usize) -> Duration {
    let before = scene.sink.count(path);
    let times = (1..=events).map(|number| {
        let asked = Stopwatch::start();
        scene.contact();
        scene.sink.wait(path, before + number);
        asked.elapsed()
    });
    times.max().unwrap_or_default()
}

fn an_endpoint_has_fifteen_seconds_and_delays_no_other(scene: Scene) {
    scene.sink.respond("/hangs", Reply::default().held());
    scene.sink.respond("/never-ends", broken_off(202));
    let hangs = scene.hook_for("/hangs", &["contact.*"]);
    let never_ends = scene.hook_for("/never-ends", &["contact.*"]);
    scene.hook("/quick");
    let slowest = slowest(&scene, "/quick", 15);
    assert!(slowest < Duration::from_secs(2), "another endpoint waited for {slowest:?}");
    let first = |hook: &Hook| scene.deliveries(hook).pop().expect("a delivery");
    assert_eq!(state(&first(&hangs)), ("claimed", 0));
    // Comes back when the calls under way have ended.
    scene.settle();
    let delivery = first(&hangs);
    assert_eq!(state(&delivery), ("pending", 1));
    assert!(text(&delivery["last_error"]).contains("15 s"), "{delivery}");
    assert_eq!((&delivery["last_status_code"], &delivery["response_snippet"]), (&Value::Null, &Value::Null));
    let took = delivery["duration_ms"].as_u64().unwrap();
    assert!((15_000..30_000).contains(&took), "{took} ms");
    assert!(delivery["next_attempt_at"].is_string(), "{delivery}");
    // Whose status has come has answered, if the rest never does.
    let delivery = first(&never_ends);
    assert_eq!((state(&delivery), &delivery["last_status_code"]), (("succeeded", 1), &json!(202)));
    assert_eq!(delivery["response_snippet"], "only this");
}
