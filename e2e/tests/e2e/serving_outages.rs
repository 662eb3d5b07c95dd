//! The loss of PostgreSQL and of Redis under load: clear refusals or none, a quick recovery, and nothing lost.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use frontdesk_e2e::{
    App, Engine, PostgresServer, RedisServer, Reply, Response, Server, Sink, Stop, Stopwatch, Unsure,
    came_true,
};
use serde_json::json;

use crate::faults::{phone, whole};
use crate::shapes::text;
use crate::webhooks_scene::PRIVATE_TARGETS;

pub(crate) const WRITERS: usize = 6;
/// An operation's own limit is 30 seconds; nothing takes longer.
const RESPONSE_TIME_MAX: Duration = Duration::from_secs(32);
/// Requests succeed again within this time after the database has. On a busy machine, the test is slower than the server.
pub(crate) const RECOVERY_TIME_MAX: Duration = Duration::from_secs(10);

/// A server without a heartbeat is known by its row, which is renewed less often.
const ORPHAN_TIME_MAX: Duration = Duration::from_secs(30);

/// Two servers on a PostgreSQL, and perhaps a Redis, that the test stops and starts.
pub(crate) struct Scene {
    // In this order: the servers end before what they use.
    pub(crate) app: App,
    pub(crate) second: Server,
    sink: Sink,
    pub(crate) redis: Option<RedisServer>,
    pub(crate) postgres: PostgresServer,
}

impl Scene {
    pub(crate) fn start(redis: Option<RedisServer>) -> Self {
        let (postgres, sink) = (PostgresServer::start(), Sink::start());
        sink.respond("/hook", Reply::status(200));
        let engine = if redis.is_some() { Engine::PostgresRedis } else { Engine::Postgres };
        let app = App::start(engine)
            .on(&postgres, redis.as_ref())
            .args(&["--no-demo"])
            .env(PRIVATE_TARGETS, "true")
            .unstarted();
        app.restart();
        let second = app.second_server();
        Self { app, second, sink, redis, postgres }
    }

    pub(crate) fn is_ready(&self) -> bool {
        let here = self.app.anonymous().vendors();
        [here.at(&self.second), here].iter().all(|server| server.get("/readyz").status == 200)
    }
}

/// What the writers got.
#[derive(Default)]
pub(crate) struct Tally {
    created: Mutex<Vec<String>>,
    pub(crate) refused: AtomicUsize,
    strange: Mutex<Vec<String>>,
    slowest_millis: AtomicUsize,
}

impl Tally {
    pub(crate) fn created(&self) -> usize {
        self.created.lock().unwrap().len()
    }

    /// Creates contacts until it is over. A refused one is sent again, with the same key.
    fn write(&self, caller: &Unsure, writer: usize, is_over: &AtomicBool) {
        let mut number = 0;
        while !is_over.load(Ordering::Relaxed) {
            let phone = phone(writer, number);
            let asked = Instant::now();
            let response = caller.post("/contacts", &json!({ "phone": phone }), &phone);
            let took = asked.elapsed().as_millis() as usize;
            self.slowest_millis.fetch_max(took, Ordering::Relaxed);
            match response {
                Some(response) if response.status == 201 => {
                    self.created.lock().unwrap().push(response.id());
                    number += 1;
                }
                Some(response) if response.status == 503 => self.check(&response),
                // What was refused is still being done.
                Some(response)
                    if response.status == 409
                        && response.error("conflict")["reason"] == "idempotency_key_in_flight" => {}
                other => {
                    let said = other.map_or_else(
                        || "the connection broke".to_owned(),
                        |it| format!("{} {}", it.status, it.text),
                    );
                    self.strange.lock().unwrap().push(said);
                }
            }
        }
    }

    /// A refusal says what to do and when.
    fn check(&self, response: &Response) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        let seconds = response.header("retry-after").and_then(|text| text.parse::<u64>().ok());
        let message = text(&response.error("internal")["message"]);
        if !seconds.is_some_and(|seconds| (1..=60).contains(&seconds)) || !message.contains("again") {
            self.strange.lock().unwrap().push(format!("{seconds:?} {message}"));
        }
    }

    /// Waits until so many more contacts are created, or something strange happened.
    #[track_caller]
    pub(crate) fn advances(&self, more: usize) {
        let before = self.created();
        let is_so = || self.created() >= before + more || !self.strange.lock().unwrap().is_empty();
        assert!(came_true(is_so), "the writers wait");
    }

    #[track_caller]
    pub(crate) fn is_in_order(&self) {
        self.is_in_order_within(RESPONSE_TIME_MAX);
    }

    /// Every response was a success or a clear refusal, and came in time.
    #[track_caller]
    pub(crate) fn is_in_order_within(&self, time_max: Duration) {
        let (strange, slowest) = (
            self.strange.lock().unwrap(),
            Duration::from_millis(self.slowest_millis.load(Ordering::Relaxed) as u64),
        );
        println!(
            "{} created, {} refused, slowest {slowest:?}",
            self.created(),
            self.refused.load(Ordering::Relaxed)
        );
        assert!(strange.is_empty(), "{} strange responses: {:?}", strange.len(), strange.first());
        assert!(slowest < time_max, "one took {slowest:?}");
    }
}

/// Has writers work at both servers while `trouble` happens.
pub(crate) fn under_load(scene: &Scene, tally: &Tally, trouble: impl FnOnce()) -> frontdesk_e2e::Tenant {
    let tenant = scene.app.tenant();
    let hook = json!({ "url": scene.sink.url("/hook"), "event_types": ["contact.created"] });
    tenant.client.post("/webhooks", hook).expect(201);
    let callers = [scene.app.base(), scene.second.base()].map(|base| Unsure::new(&base, &tenant.key));
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (caller, is_over) = (&callers[writer % 2], &is_over);
            scope.spawn(move || tally.write(caller, writer, is_over));
        }
        tally.advances(30);
        // The writers end also when an assertion fails.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(trouble));
        is_over.store(true, Ordering::Relaxed);
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    });
    tenant
}

/// Every contact that was acknowledged is there, and was delivered.
#[track_caller]
pub(crate) fn nothing_is_lost(scene: &Scene, tenant: &frontdesk_e2e::Tenant, tally: &Tally) {
    let created = tally.created.lock().unwrap().clone();
    whole(&tenant.client, &created);
    let delivered = || {
        let received = scene.sink.at("/hook");
        let told: BTreeSet<String> =
            received.iter().map(|it| text(&it.json()["data"]["contact"]["id"]).to_owned()).collect();
        created.iter().all(|id| told.contains(id))
    };
    assert!(came_true(delivered), "{}", scene.app.logs());
    for log in [scene.app.logs(), scene.second.logs()] {
        assert!(!log.contains("panicked"), "{log}");
    }
}

#[test]
fn a_crash_of_postgresql_refuses_requests_for_a_moment_and_loses_nothing() {
    let (scene, tally) = (Scene::start(None), Tally::default());
    let tenant = under_load(&scene, &tally, || {
        for _ in 0..2 {
            let refused = tally.refused.load(Ordering::Relaxed);
            scene.postgres.stop(Stop::Crash);
            assert!(came_true(|| tally.refused.load(Ordering::Relaxed) > refused + 2 * WRITERS));
            assert!(came_true(|| !scene.is_ready()));
            scene.app.anonymous().vendors().get("/healthz").expect(200);
            let created = tally.created();
            scene.postgres.start_again();
            let back = Stopwatch::start();
            let is_so = || tally.created() > created + WRITERS;
            assert!(came_true(is_so), "{}", scene.app.logs());
            println!("recovered after {:?}", back.elapsed());
            assert!(back.elapsed() < RECOVERY_TIME_MAX, "recovered after {:?}", back.elapsed());
            assert!(came_true(|| scene.is_ready()));
            assert!(back.elapsed() < RECOVERY_TIME_MAX, "ready after {:?}", back.elapsed());
            tally.advances(30);
        }
    });
    tally.is_in_order();
    nothing_is_lost(&scene, &tenant, &tally);
}

#[test]
fn a_crash_of_redis_fails_no_request() {
    let (scene, tally) = (Scene::start(Some(RedisServer::start())), Tally::default());
    let redis = scene.redis.as_ref().expect("a Redis");
    let warning = || {
        let ready = scene.app.anonymous().vendors().get("/readyz").expect(200);
        ready.json["warning"].as_str().unwrap_or_default().to_owned()
    };
    let tenant = under_load(&scene, &tally, || {
        redis.kill();
        tally.advances(60);
        assert!(came_true(|| warning().contains("Redis")), "{}", scene.app.logs());
        redis.start_again();
        let back = Stopwatch::start();
        assert!(came_true(|| !warning().contains("Redis")), "{}", scene.app.logs());
        assert!(back.elapsed() < RECOVERY_TIME_MAX, "recovered after {:?}", back.elapsed());
        tally.advances(60);
    });
    tally.is_in_order();
    assert_eq!(tally.refused.load(Ordering::Relaxed), 0, "PostgreSQL counts while Redis is away");
    nothing_is_lost(&scene, &tenant, &tally);
}

#[test]
fn a_server_that_dies_with_postgresql_is_taken_over_all_the_same() {
    let scene = Scene::start(None);
    let tenant = scene.app.tenant();
    // The first server holds a delivery when both crash. Heartbeats do not survive a crash of the database.
    scene.sink.answer_in_turn("/held", [Reply::status(200).held()], Reply::status(200));
    let hook = json!({ "url": scene.sink.url("/held"), "event_types": ["contact.created"] });
    tenant.client.post("/webhooks", hook).expect(201);
    let claims = |server: &str| {
        let found = scene.app.cli(&["servers"]);
        let all = found.as_array().expect("a list").clone();
        let one = all.into_iter().find(|one| server.ends_with(one["address"].as_str().unwrap_or_default()));
        one.is_some_and(|one| one["leases"].as_object().is_some_and(|leases| !leases.is_empty()))
    };
    tenant.client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    scene.sink.wait("/held", 1);
    let (here, there) = (scene.app.base(), scene.second.base());
    assert!(came_true(|| claims(&here) || claims(&there)), "{}", scene.app.cli(&["servers"]));
    let died_here = claims(&here);
    scene.postgres.stop(Stop::Crash);
    if died_here {
        scene.app.kill();
    } else {
        scene.second.kill();
    }
    scene.postgres.start_again();
    let back = Stopwatch::start();
    assert!(came_true(|| scene.sink.count("/held") >= 2), "{} {}", scene.app.logs(), scene.second.logs());
    println!("taken over {:?} after the return of PostgreSQL", back.elapsed());
    assert!(back.elapsed() < ORPHAN_TIME_MAX, "it took {:?}", back.elapsed());
    let left = if died_here { tenant.client.at(&scene.second) } else { tenant.client.clone() };
    let is_settled = || {
        let found = left.get("/webhooks").expect(200);
        let path = format!("/webhooks/{}/deliveries", text(&found.data()[0]["id"]));
        left.get(&path).expect(200).data()[0]["status"] == "succeeded"
    };
    assert!(came_true(is_settled));
}
