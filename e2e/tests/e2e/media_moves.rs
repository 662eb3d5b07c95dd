//! `frontdesk media move`: every file arrives whole, while servers serve and whatever is killed.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use frontdesk_e2e::{Engine, came_true, on_every_engine, on_sqlite};
use serde_json::json;

use crate::inbox_scene::{Inbox, start};
use crate::media_places::{Outside, content, files_in, open, status};
use crate::shapes::text;
use crate::uploads::upload;

on_every_engine! {
    files_are_moved_to_a_directory_while_serving_and_back_through_kills,
    files_are_moved_to_a_bucket_while_serving_and_back_through_kills,
}

on_sqlite! {
    two_moves_do_not_run_at_once,
    a_move_to_a_place_that_does_not_work_moves_nothing,
}

/// Files that are there before the move, and their size.
const FILES: usize = 24;
const BYTES: usize = 200_000;

fn files_are_moved_to_a_directory_while_serving_and_back_through_kills(engine: Engine) {
    files_are_moved_while_serving_and_back_through_kills(engine, &Outside::directory());
}

fn files_are_moved_to_a_bucket_while_serving_and_back_through_kills(engine: Engine) {
    files_are_moved_while_serving_and_back_through_kills(engine, &Outside::bucket());
}

fn files_are_moved_while_serving_and_back_through_kills(engine: Engine, place: &Outside) {
    let inbox = Inbox::of(place.variables(start(engine).alone(), false));
    let made: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let add = |length: usize| {
        let file = upload(&inbox.client, "a.bin", "text/plain", &content(length));
        made.lock().unwrap().insert(text(&file["url"]).to_owned(), length);
    };
    (0..FILES).for_each(|n| add(BYTES + n));
    assert_eq!(files_in(&status(&inbox.app), "database"), FILES as i64);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Uploads go on, and every file is read again and again.
        let others = scope.spawn(|| {
            let mut rounds = 0;
            while !is_over.load(Ordering::Relaxed) {
                add(1_000 + rounds);
                let known: Vec<(String, usize)> =
                    made.lock().unwrap().iter().map(|(url, length)| (url.clone(), *length)).collect();
                let (url, length) = &known[rounds * 7 % known.len()];
                let response = open(&inbox, &json!(url)).expect(200);
                assert!(response.body == content(*length), "{url}: the bytes are others");
                rounds += 1;
            }
            rounds
        });
        for least in [2, 6] {
            let mut moving =
                inbox.app.begin(&["media", "move", "--to", &place.url(), "--limit-rate", "800K"]);
            let has_come = || files_in(&status(&inbox.app), "") > 0 && outside(&inbox) >= least;
            assert!(came_true(has_come), "{}", status(&inbox.app));
            moving.kill().unwrap();
            moving.wait().unwrap();
            assert!(files_in(&status(&inbox.app), "database") > 0, "it was killed in the middle");
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(others.join().unwrap() > 0);
    });
    let moved = inbox.app.cli(&["media", "move", "--to", &place.url()]);
    assert!(moved["files"].as_i64().unwrap() > 0, "{moved}");
    assert_eq!(files_in(&status(&inbox.app), "database"), 0);
    all_as_they_were(&inbox, &made.lock().unwrap());
    // What the killed moves had begun is deleted.
    inbox.advance(7 * 60 * 60);
    let is_clean = || {
        let status = status(&inbox.app);
        status["removals"] == json!([]) && place.names().len() as i64 == files_in(&status, "")
    };
    assert!(came_true(is_clean), "{} {}", status(&inbox.app), place.names().len());
    // And back, with a kill in the middle.
    let mut back = inbox.app.begin(&["media", "move", "--to", "database", "--limit-rate", "800K"]);
    assert!(came_true(|| files_in(&status(&inbox.app), "database") >= 2));
    back.kill().unwrap();
    back.wait().unwrap();
    inbox.app.kill();
    inbox.app.restart();
    inbox.app.cli(&["media", "move", "--to", "database"]);
    assert_eq!(outside(&inbox), 0);
    assert!(came_true(|| place.names().is_empty()), "{:?} {}", place.names(), status(&inbox.app));
    all_as_they_were(&inbox, &made.lock().unwrap());
}

fn outside(inbox: &Inbox) -> i64 {
    let status = status(&inbox.app);
    files_in(&status, "directory") + files_in(&status, "bucket")
}

#[track_caller]
fn all_as_they_were(inbox: &Inbox, made: &BTreeMap<String, usize>) {
    for (url, length) in made {
        let response = open(inbox, &json!(url)).expect(200);
        assert!(response.body == content(*length), "{url}: the bytes are others");
    }
}

fn two_moves_do_not_run_at_once(engine: Engine) {
    let place = Outside::directory();
    let inbox = Inbox::of(place.variables(start(engine).alone(), false));
    for n in 0..4 {
        upload(&inbox.client, "a.bin", "text/plain", &content(600_000 + n));
    }
    let mut first = inbox.app.begin(&["media", "move", "--to", &place.url(), "--limit-rate", "64K"]);
    assert!(came_true(|| status(&inbox.app)["removals"][0]["reason"] == "unfinished"));
    let refused = inbox.app.run(&["media", "move", "--to", &place.url()]).expect_failure();
    assert!(refused.contains("being moved already"), "{refused}");
    first.kill().unwrap();
    first.wait().unwrap();
    let moved = inbox.app.cli(&["media", "move", "--to", &place.url()]);
    assert_eq!(moved["new_files"], "database", "{moved}");
    assert_eq!(outside(&inbox), 4);
    let said = inbox.app.run(&["media", "move", "--to", &place.url()]).expect_success();
    assert!(said.out.contains("WARNING") && said.out.contains("FRONTDESK_MEDIA"), "{}", said.out);
}

fn a_move_to_a_place_that_does_not_work_moves_nothing(engine: Engine) {
    let place = Outside::bucket();
    let inbox = Inbox::of(place.variables(start(engine).alone(), false));
    let made = upload(&inbox.client, "a.bin", "text/plain", &content(900));
    for to in ["media", "/", "s3://", "ftp://x", "/proc/nothing/here", "s3://another-bucket/x"] {
        inbox.app.run(&["media", "move", "--to", to]).expect_failure();
    }
    for rate in ["0", "1K", "fast", "-1"] {
        inbox.app.run(&["media", "move", "--to", &place.url(), "--limit-rate", rate]).expect_failure();
    }
    assert_eq!(files_in(&status(&inbox.app), "database"), 1);
    assert!(open(&inbox, &made["url"]).expect(200).body == content(900));
}
