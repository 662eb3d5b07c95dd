//! Signatures, judged by the official Standard Webhooks libraries of Python and of JavaScript.

use std::path::Path;
use std::process::{self, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

use frontdesk_e2e::{Received, Reply, on_every_engine};
use serde_json::{Value, json};

use crate::shapes::text;
use crate::webhooks_scene::{DAY, HOUR, Scene};

on_every_engine! {
    the_official_libraries_verify_every_delivery,
    the_official_libraries_refuse_what_was_tampered_with,
    each_attempt_is_signed_at_its_own_time,
    both_secrets_sign_for_a_day_after_a_rotation,
    a_secret_outlives_a_restart,
}

/// A delivery and the secret it is to be verified with, by the real clock.
fn case(secret: &str, sent: &Received) -> Value {
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let headers: Value = names.iter().map(|name| ((*name).to_owned(), json!(sent.header(name)))).collect();
    let body = String::from_utf8(sent.body.clone()).expect("text");
    json!({ "secret": secret, "headers": headers, "body": body, "now": null })
}

/// The same by a clock that was moved to this moment, in milliseconds.
fn case_at(secret: &str, sent: &Received, now: i64) -> Value {
    let mut case = case(secret, sent);
    case["now"] = json!(now / 1000);
    case
}

/// What the libraries say of each: genuine, or why not. They must agree.
#[track_caller]
fn verdicts(cases: &[Value]) -> Vec<bool> {
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    let name = format!("webhooks-{}-{}.json", process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed));
    let file = env::temp_dir().join(name);
    fs::write(&file, json!(cases).to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/standard-webhooks");
    let output = Command::new(script).arg("verify").arg(&file).output().expect("the script runs");
    let _ = fs::remove_file(&file);
    let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "the libraries did not run: {said}{why}");
    let verdicts: Vec<Vec<bool>> = said
        .lines()
        .map(|line| {
            let words: Vec<String> = serde_json::from_str(line).expect("a line of JSON");
            words.iter().map(|word| word == "genuine").collect()
        })
        .collect();
    assert_eq!(verdicts.len(), 2, "{said}");
    assert_eq!(verdicts[0], verdicts[1], "the libraries differ: {said}");
    assert_eq!(verdicts[0].len(), cases.len(), "{said}");
    verdicts[0].clone()
}

fn the_official_libraries_verify_every_delivery(scene: Scene) {
    let made = scene.hook("/hook");
    let body = json!({ "name": "Zoë \u{1F642}", "company": "\"quoted\" \\ </script>\u{2028}" });
    scene.client.post("/contacts", body).expect(201);
    scene.client.post(&format!("{}/test", made.path), json!({})).expect(202);
    let came = scene.sink.wait("/hook", 2);
    let cases: Vec<Value> = came.iter().map(|sent| case(&made.secret, sent)).collect();
    assert_eq!(verdicts(&cases), [true, true]);
    for sent in came {
        assert!(sent.header("webhook-signature").starts_with("v1,"), "{sent:?}");
        assert_eq!(sent.header("webhook-signature").split(' ').count(), 1);
    }
}

fn the_official_libraries_refuse_what_was_tampered_with(scene: Scene) {
    let (made, other) = (scene.hook("/hook"), scene.hook("/other"));
    scene.contact();
    let sent = &scene.sink.wait("/hook", 1)[0];
    let genuine = case(&made.secret, sent);
    let altered = |change: &dyn Fn(&mut Value)| {
        let mut case = genuine.clone();
        change(&mut case);
        case
    };
    let later = sent.header("webhook-timestamp").parse::<i64>().unwrap() + 1;
    let cases = [
        genuine.clone(),
        altered(&|case| case["body"] = json!(text(&case["body"]).replace("Ann", "Eve"))),
        altered(&|case| case["body"] = json!(format!("{} ", text(&case["body"])))),
        altered(&|case| case["headers"]["webhook-id"] = json!("evt_0192f0c4000070008000000000000000")),
        altered(&|case| case["headers"]["webhook-timestamp"] = json!(later.to_string())),
        altered(&|case| case["secret"] = json!(other.secret)),
    ];
    assert_eq!(verdicts(&cases), [true, false, false, false, false, false]);
}

fn each_attempt_is_signed_at_its_own_time(scene: Scene) {
    scene.sink.answer_in_turn("/hook", [Reply::status(500)], Reply::default());
    let made = scene.hook("/hook");
    scene.contact();
    scene.settle();
    let now = scene.advance(HOUR);
    let came = scene.sink.wait("/hook", 2);
    let times: Vec<i64> = came.iter().map(|sent| sent.header("webhook-timestamp").parse().unwrap()).collect();
    assert!(times[1] - times[0] >= HOUR as i64, "{times:?}");
    assert_eq!(came[0].header("webhook-id"), came[1].header("webhook-id"));
    assert_ne!(came[0].header("webhook-signature"), came[1].header("webhook-signature"));
    // The first is stale by then, the second is not.
    let cases = [
        case_at(&made.secret, &came[0], now),
        case_at(&made.secret, &came[1], now),
        case(&made.secret, &came[0]),
    ];
    assert_eq!(verdicts(&cases), [false, true, true]);
}

fn both_secrets_sign_for_a_day_after_a_rotation(scene: Scene) {
    let made = scene.hook("/hook");
    let rotate = || {
        let rotated = scene.client.post(&format!("{}/secret", made.path), json!({})).expect(200);
        text(&rotated.data()["secret"]).to_owned()
    };
    let (first, second) = (made.secret.clone(), rotate());
    // Now, a little before the day is over, and after it.
    let sent = [0, DAY - HOUR, 2 * HOUR].map(|seconds| {
        scene.advance(seconds);
        scene.contact();
        let now = scene.advance(0);
        (scene.sink.received().pop().expect("a delivery"), now)
    });
    let cases: Vec<Value> = sent
        .iter()
        .flat_map(|(sent, now)| [case_at(&first, sent, *now), case_at(&second, sent, *now)])
        .collect();
    assert_eq!(verdicts(&cases), [true, true, true, true, false, true]);
    // A second rotation leaves the two newest.
    let (third, fourth) = (rotate(), rotate());
    scene.contact();
    let now = scene.advance(0);
    let sent = scene.sink.received().pop().expect("a delivery");
    let cases = [&first, &second, &third, &fourth].map(|secret| case_at(secret, &sent, now));
    assert_eq!(verdicts(&cases)[2..], [true, true]);
}

fn a_secret_outlives_a_restart(scene: Scene) {
    let made = scene.hook("/hook");
    scene.app.restart();
    scene.contact();
    let sent = scene.sink.wait("/hook", 1);
    assert_eq!(verdicts(&[case(&made.secret, &sent[0])]), [true]);
}
