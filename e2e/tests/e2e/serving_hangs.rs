//! Stores that hang: they keep their connections, accept new ones, and do not respond. Requests are refused clearly and in
//! time, or go on, and nothing is lost.

use std::sync::atomic::Ordering;
use std::time::Duration;

use frontdesk_e2e::{App, Engine, RedisServer, Stopwatch, came_true};
use postgres::{Client as Postgres, NoTls};
use serde_json::json;

use crate::people::walk;
use crate::serving_outages::{RECOVERY_TIME_MAX, Scene, Tally, WRITERS, nothing_is_lost, under_load};
use crate::shapes::text;

/// The checks of a key and the operation have 30 seconds each. Without these limits, a request would wait for two minutes,
/// after which a silent connection is given up.
const RESPONSE_TIME_MAX: Duration = Duration::from_secs(90);

#[test]
fn a_postgresql_that_hangs_refuses_requests_in_time_and_loses_nothing() {
    let (scene, tally) = (Scene::start(None), Tally::default());
    let tenant = under_load(&scene, &tally, || {
        let refused = tally.refused.load(Ordering::Relaxed);
        scene.postgres.suspend();
        assert!(came_true(|| tally.refused.load(Ordering::Relaxed) >= refused + WRITERS));
        assert!(!scene.is_ready());
        scene.app.anonymous().vendors().get("/healthz").expect(200);
        let created = tally.created();
        scene.postgres.resume();
        let back = Stopwatch::start();
        let is_so = || tally.created() > created + WRITERS;
        assert!(came_true(is_so), "{}", scene.app.logs());
        assert!(came_true(|| scene.is_ready()));
        println!("recovered after {:?}", back.elapsed());
        assert!(back.elapsed() < RECOVERY_TIME_MAX, "recovered after {:?}", back.elapsed());
        tally.advances(30);
    });
    tally.is_in_order_within(RESPONSE_TIME_MAX);
    nothing_is_lost(&scene, &tenant, &tally);
}

#[test]
fn a_redis_that_hangs_fails_no_request() {
    let (scene, tally) = (Scene::start(Some(RedisServer::start())), Tally::default());
    let redis = scene.redis.as_ref().expect("a Redis");
    let warning = || {
        let ready = scene.app.anonymous().vendors().get("/readyz").expect(200);
        ready.json["warning"].as_str().unwrap_or_default().to_owned()
    };
    let tenant = under_load(&scene, &tally, || {
        redis.suspend();
        tally.advances(60);
        assert!(came_true(|| warning().contains("Redis")), "{}", scene.app.logs());
        redis.resume();
        let back = Stopwatch::start();
        assert!(came_true(|| !warning().contains("Redis")), "{}", scene.app.logs());
        assert!(back.elapsed() < RECOVERY_TIME_MAX, "recovered after {:?}", back.elapsed());
        tally.advances(60);
    });
    tally.is_in_order();
    assert_eq!(tally.refused.load(Ordering::Relaxed), 0, "PostgreSQL counts while Redis hangs");
    nothing_is_lost(&scene, &tenant, &tally);
}

#[test]
fn an_operation_that_waits_for_a_lock_is_refused_in_time_and_takes_effect_once() {
    let app = App::start(Engine::Postgres).alone().ready();
    let tenant = app.tenant();
    let mut other = Postgres::connect(app.database(), NoTls).unwrap();
    let mut held = other.transaction().unwrap();
    held.batch_execute("LOCK TABLE contacts IN SHARE MODE").unwrap();
    let create = || {
        let client = tenant.client.with("idempotency-key", "once");
        client.post("/contacts", json!({ "name": "Ann" }))
    };
    let late = create().expect(503);
    let seconds = late.header("retry-after").and_then(|text| text.parse::<u64>().ok());
    assert!(seconds.is_some_and(|seconds| (1..=60).contains(&seconds)), "{seconds:?}");
    assert!(text(&late.error("internal")["message"]).contains("same Idempotency-Key"));
    assert!(app.logs().contains("an operation took too long"), "{}", app.logs());
    // Whoever needs no lock is served meanwhile.
    tenant.client.get("/contacts").expect(200);
    held.rollback().unwrap();
    assert!(came_true(|| create().status == 201), "{}", app.logs());
    assert_eq!(walk(&tenant.client, "/contacts").len(), 1);
    assert_eq!(walk(&tenant.client, "/events?event_type=contact.created").len(), 1);
}
