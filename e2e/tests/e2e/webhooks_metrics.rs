//! What the metrics say about webhooks.

use std::time::Duration;

use frontdesk_e2e::{Engine, Reply, at_once, came_true, on_every_engine};
use serde_json::json;

use crate::webhooks_scene::{NOBODY, Scene, hook, start};

on_every_engine! {
    alone attempts_are_counted_by_their_outcome_and_timed,
    alone the_depth_of_the_queue_and_its_oldest_are_measured,
}

/// The value of a metric with these labels, if it is there.
fn value(scene: &Scene, metric: &str) -> Option<f64> {
    let page = scene.app.anonymous().vendors().get("/metrics").expect(200);
    let line = page.text.lines().find_map(|line| line.strip_prefix(metric)?.strip_prefix(' '))?;
    Some(line.trim().parse().unwrap_or_else(|_| panic!("{metric} is {line}")))
}

fn attempts_are_counted_by_their_outcome_and_timed(scene: Scene) {
    scene.sink.respond("/slow", Reply::default().after(Duration::from_millis(60)));
    scene.sink.respond("/gone", Reply::status(410));
    for path in ["/fine", "/slow", "/gone"] {
        scene.hook(path);
    }
    hook(&scene.client, json!({ "url": NOBODY }));
    scene.contact();
    scene.settle();
    let attempts =
        |outcome| value(&scene, &format!("frontdesk_webhook_attempts_total{{outcome=\"{outcome}\"}}"));
    assert_eq!(attempts("delivered"), Some(2.0));
    assert_eq!(attempts("failed"), Some(1.0));
    assert_eq!(attempts("retried"), Some(1.0));
    assert_eq!(value(&scene, "frontdesk_webhook_attempt_seconds_count"), Some(4.0));
    let took = value(&scene, "frontdesk_webhook_attempt_seconds_sum").unwrap();
    assert!((0.06..30.0).contains(&took), "{took} s for all attempts");
    assert_eq!(value(&scene, "frontdesk_webhook_endpoints_disabled_total"), Some(1.0));
}

fn the_depth_of_the_queue_and_its_oldest_are_measured(engine: Engine) {
    // Nobody delivers what happens here.
    let scene = Scene::of(start(engine).env("FRONTDESK_ROLE", "api"));
    scene.sink.respond("/hangs", Reply::default().held());
    scene.hook("/hangs");
    at_once(4, |_| (0..50).for_each(|_| drop(scene.contact())));
    scene.advance(500);
    // A worker takes as much as it can have under way, and the rest still waits.
    scene.app.restart_with(&[("FRONTDESK_ROLE", "all")]);
    scene.sink.wait("/hangs", 1);
    let depth = || value(&scene, "frontdesk_queue_jobs{kind=\"courier\"}");
    assert!(came_true(|| depth().is_some_and(|waiting| waiting > 0.0)), "the queue was never measured");
    assert!(depth().is_some_and(|waiting| (50.0..=200.0).contains(&waiting)), "{:?}", depth());
    let oldest = value(&scene, "frontdesk_queue_oldest_seconds{kind=\"courier\"}").unwrap();
    assert!((500.0..600.0).contains(&oldest), "the oldest has waited for {oldest} s");
}
