//! The stored `ready` against the rule that it represents.

use std::time::Duration;

use frontdesk_channels::Class;
use frontdesk_db::Row;
use frontdesk_kernel::Timestamp;
use uuid::Uuid;

use super::super::outcome::SendOutcome;
use super::*;
use crate::contact_rows;
use crate::messages::MessageId;
use crate::outbox::{self, Subject, queue_receipt};

const CONVERSATIONS: usize = 4;
const STEPS: usize = 250;
/// How long a call blocks its conversation.
const UNDER_WAY: Duration = Duration::from_secs(30);

const ROWS: &str = "SELECT conversation_id, message_id, part, priority, state, handed_at, ready FROM sends";

#[derive(Debug)]
struct Send {
    conversation: Uuid,
    place: (Uuid, i64),
    priority: i64,
    is_queued: bool,
    handed_at: Option<Timestamp>,
    ready: bool,
}

fn send(row: &mut Row<'_>) -> db::Result<Send> {
    Ok(Send {
        conversation: row.next()?,
        place: (row.next()?, row.next()?),
        priority: row.next()?,
        is_queued: row.next::<String>()? == "queued",
        handed_at: row.next()?,
        ready: row.next()?,
    })
}

/// Whether a queued row may be sent, computed from every other row of its conversation.
fn may_go(row: &Send, all: &[Send], now: Timestamp) -> bool {
    let others = || all.iter().filter(|other| other.conversation == row.conversation && other.priority < 9);
    let is_behind =
        others().any(|other| other.is_queued && (other.priority, other.place) < (row.priority, row.place));
    let is_held_up = others().any(|other| other.handed_at.is_some_and(|at| at + UNDER_WAY > now));
    row.priority == 9 || !(is_behind || is_held_up)
}

async fn check(scene: &Scene, step: usize) {
    let now = scene.now;
    scene.write(move |tx, _| outbox::expire(tx, now)).await;
    let all = scene.rows(ROWS, send).await;
    for row in all.iter().filter(|row| row.is_queued) {
        assert_eq!(row.ready, may_go(row, &all, now), "step {step}: {row:?} of {all:#?}");
    }
    for conversation in &scene.conversations {
        let turns = all
            .iter()
            .filter(|row| row.conversation == conversation.id.uuid() && row.ready && row.priority < 9);
        assert!(turns.count() <= 1, "step {step}: {all:#?}");
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

#[tokio::test]
async fn the_turn_is_where_the_rule_says_after_any_operations() {
    for (seed, database) in TestDatabase::both().into_iter().enumerate() {
        let mut scene = Scene::new(database, CONVERSATIONS).await;
        let mut dice = Dice(seed as u64 + 7);
        let mut calls: Vec<Job> = Vec::new();
        for step in 0..STEPS {
            let at = dice.roll(CONVERSATIONS);
            match dice.roll(13) {
                0..3 => drop(scene.say(at, text("Hello")).await),
                3 => drop(scene.say(at, two_parts()).await),
                4 => receipt(&scene, at).await,
                5 | 6 => calls.extend(scene.claim(dice.roll(4) + 1).await),
                7 => scene.now = scene.now + Duration::from_secs(dice.roll(40) as u64),
                8 => went_out(&scene, calls.get(dice.roll(8)).map(|job| job.message)).await,
                9 if dice.roll(4) == 0 => forget(&scene, at).await,
                _ if calls.is_empty() => {}
                10 => {
                    let job = Arc::new(calls.swap_remove(dice.roll(calls.len())));
                    scene.write(move |tx, _| settle::give_back(tx, std::slice::from_ref(&job))).await;
                }
                _ => {
                    let job = calls.swap_remove(dice.roll(calls.len()));
                    let outcome = match dice.roll(6) {
                        0 => refused(Class::Retry),
                        1 => refused(Class::Recipient),
                        2 => SendOutcome::Unknown("the connection broke".into()),
                        _ => taken(Some(&format!("name {step}")), None),
                    };
                    scene.settle(vec![Outcome { job, outcome }]).await;
                }
            }
            check(&scene, step).await;
        }
    }
}

async fn receipt(scene: &Scene, at: usize) {
    let (connection, conversation) = (scene.connection.clone(), scene.conversations[at].clone());
    let id: MessageId = scene.recorder.next(scene.now);
    let last = Subject { message: id, conversation: conversation.id };
    scene
        .write(move |tx, by| queue_receipt(tx, by, &connection, last, conversation.contact_id, "name"))
        .await;
}

async fn went_out(scene: &Scene, message: Option<MessageId>) {
    if let Some(message) = message {
        scene.write(move |tx, by| outbox::went_out(tx, by.account, message)).await;
    }
}

/// The effect of erasing a contact on the rows of a conversation.
async fn forget(scene: &Scene, at: usize) {
    let (connection, conversation) = (scene.connection.id(), scene.conversations[at].id);
    let delete = move |tx: &mut Tx<'_>, by: &By| {
        tx.execute(contact_rows::DELETE_SENDS, &[&by.account, &connection, &conversation])
    };
    let _any_number_is_fine = scene.write(delete).await;
}

#[tokio::test]
async fn rows_that_were_not_made_ready_are_found() {
    for database in TestDatabase::both() {
        let scene = Scene::new(database, 2).await;
        for _ in 0..2 {
            scene.say(0, text("One")).await;
            scene.say(1, text("Two")).await;
        }
        receipt(&scene, 0).await;
        // A server of an earlier version writes rows like these.
        scene.write(|tx, _| tx.execute("UPDATE sends SET ready = false", &[])).await.exactly(5).unwrap();
        assert!(scene.claim(10).await.is_empty());
        scene.write(|tx, _| outbox::mend(tx)).await;
        check(&scene, 0).await;
        assert_eq!(scene.claim(10).await.len(), 3);
    }
}

#[tokio::test]
async fn a_message_that_is_given_back_goes_again_and_counts_no_try() {
    for database in TestDatabase::both() {
        let scene = Scene::new(database, 1).await;
        let first = scene.say(0, text("One")).await;
        scene.say(0, text("Two")).await;
        let jobs: Vec<Arc<Job>> = scene.claim(10).await.into_iter().map(Arc::new).collect();
        let (given, late) = (jobs.clone(), jobs);
        scene.write(move |tx, _| settle::give_back(tx, &given)).await;
        let again = scene.claim(10).await;
        assert_eq!(again.iter().map(|job| (job.message, job.tries)).collect::<Vec<_>>(), [(first.id, 1)]);
        // The lease of the first claim is lost.
        scene.write(move |tx, _| settle::give_back(tx, &late)).await;
        assert!(scene.claim(10).await.is_empty());
    }
}

#[tokio::test]
async fn a_message_that_is_tried_again_after_its_time_goes_before_the_next() {
    for database in TestDatabase::both() {
        let mut scene = Scene::new(database, 1).await;
        let first = scene.say(0, text("One")).await;
        scene.say(0, text("Two")).await;
        let mut calls = scene.claim(10).await;
        scene.now = scene.now + UNDER_WAY;
        let now = scene.now;
        scene.write(move |tx, _| outbox::expire(tx, now)).await;
        let job = calls.pop().expect("one call");
        scene.settle(vec![Outcome { job, outcome: refused(Class::Retry) }]).await;
        scene.now = scene.now + Duration::from_mins(1);
        let claimed: Vec<MessageId> = scene.claim(10).await.iter().map(|job| job.message).collect();
        assert_eq!(claimed, [first.id]);
    }
}
