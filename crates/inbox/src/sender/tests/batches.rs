//! A batch of outcomes has the same result as its outcomes one by one.

use frontdesk_channels::Class;
use frontdesk_db::Row;
use uuid::Uuid;

use super::super::outcome::SendOutcome;
use super::*;
use crate::messages::MessageType;

const TABLES: [&str; 6] = [
    "SELECT 'message', id, status, error, channel_message_id, CAST(status_changes AS text) FROM messages ORDER BY id",
    "SELECT 'status', message_id, status, error, CAST(n AS text), NULL FROM message_statuses ORDER BY message_id, n",
    "SELECT 'event', id, event_type, data, NULL, NULL FROM events ORDER BY id",
    "SELECT 'send', message_id, state, CAST(part AS text), CAST(ready AS text), CAST(tries AS text) FROM sends ORDER BY message_id, part",
    "SELECT 'early', connection_id, channel_message_id, status, NULL, NULL FROM early_reports ORDER BY channel_message_id",
    "SELECT 'person', contact_id, person, NULL, NULL, NULL FROM identities ORDER BY person",
];

/// The name of a table, the id of one of its rows, and the row's other values.
type StoredRow = (String, Uuid, Vec<Option<String>>);

fn stored_row(row: &mut Row<'_>) -> db::Result<StoredRow> {
    Ok((row.next()?, row.next()?, (0..4).map(|_| row.next()).collect::<db::Result<_>>()?))
}

/// Everything that settling may change.
async fn all(scene: &Scene) -> Vec<StoredRow> {
    let mut all = Vec::new();
    for table in TABLES {
        all.extend(scene.rows(table, stored_row).await);
    }
    all
}

const EARLY: &str = "INSERT INTO early_reports (account_id, connection_id, channel_message_id, status, created_at, reported_at)
    VALUES ($1, $2, 'wamid.early', 'delivered', $3, $3)";
const ECHO: &str = "UPDATE messages SET channel_message_id = 'wamid.echo' WHERE account_id = $1 AND id = $2";
const ERASED: &str = "INSERT INTO erasures (account_id, subject) VALUES ($1, $2)";
const REPORTED: &str =
    "UPDATE messages SET status = 'delivered', channel_message_id = 'wamid.reported', status_changes = 1
    WHERE account_id = $1 AND id = $2";
const SOLD: &str = "UPDATE sends SET lease = $3 WHERE account_id = $1 AND message_id = $2";

/// Two messages in each of many conversations, of which the first is handed over, and an outcome for each. A fresh job
/// has its message, as if this process had just written it.
async fn scene(database: TestDatabase, are_fresh: bool) -> (Scene, Vec<Outcome>) {
    let verdicts = || {
        vec![
            taken(Some("wamid.1"), None),
            taken(Some("wamid.2"), Some("visitor 1")),
            taken(Some("wamid.3"), Some("met just now")),
            taken(None, None),
            taken(Some("wamid.twice"), None),
            taken(Some("wamid.twice"), None),
            taken(Some("wamid.echo"), None),
            taken(Some("wamid.early"), None),
            // Its conversation is erased, and its lease is lost.
            taken(Some("wamid.erased"), None),
            taken(Some("wamid.lost"), None),
            refused(Class::Retry),
            refused(Class::Recipient),
            SendOutcome::Unreached("nobody there".into()),
            SendOutcome::Unknown("the connection broke".into()),
            // Its channel has reported it already.
            taken(Some("wamid.reported"), None),
            taken(Some("wamid.audio"), None),
        ]
    };
    let count = verdicts().len();
    let scene = Scene::new(database, count + 1).await;
    let mut said = Vec::new();
    for at in 0..count {
        let body = if at == count - 1 { two_parts() } else { text("One") };
        said.push(scene.say(at, body).await);
    }
    let echo = scene.say(count, text("Echo")).await.id;
    let jobs = scene.claim(count).await;
    for at in 0..count {
        scene.say(at, text("Two")).await;
    }
    let (connection, now) = (scene.connection.id(), scene.now);
    let (erased, lost, reported) = (scene.conversations[8].id, said[9].id, said[14].id);
    scene
        .write(move |tx, by| {
            tx.execute(EARLY, &[&by.account, &connection, &now])?.exactly(1)?;
            tx.execute(ECHO, &[&by.account, &echo])?.exactly(1)?;
            tx.execute(ERASED, &[&by.account, &erased])?.exactly(1)?;
            tx.execute(REPORTED, &[&by.account, &reported])?.exactly(1)?;
            tx.execute(SOLD, &[&by.account, &lost, &Uuid::from_u128(9)])?.exactly(1)
        })
        .await;
    let mut outcomes = Vec::new();
    for ((mut job, outcome), message) in jobs.into_iter().zip(verdicts()).zip(said) {
        assert_eq!(job.message, message.id);
        if are_fresh && message.r#type == MessageType::Text {
            (job.written, job.is_person_known) = (Some(message), true);
        }
        outcomes.push(Outcome { job, outcome });
    }
    (scene, outcomes)
}

#[tokio::test]
async fn a_batch_comes_to_what_its_outcomes_come_to_one_by_one() {
    for (together, apart) in TestDatabase::both().into_iter().zip(TestDatabase::both()) {
        let (together, outcomes) = scene(together, false).await;
        together.settle(outcomes).await;
        let (apart, outcomes) = scene(apart, false).await;
        for outcome in outcomes {
            apart.settle(vec![outcome]).await;
        }
        let (together, apart) = (all(&together).await, all(&apart).await);
        let events = together.iter().filter(|row| row.0 == "event");
        // Ten messages are sent, one of them is also delivered, and one has failed.
        assert_eq!(events.filter(|row| is_of_a_message(row)).count(), 10 * 2 + 1 + 1, "{together:#?}");
        assert_eq!(sorted(&together), sorted(&apart));
    }
}

#[tokio::test]
async fn a_message_that_was_just_written_comes_to_what_a_claimed_one_comes_to() {
    // On PostgreSQL every message is claimed.
    let mut results = Vec::new();
    for are_fresh in [true, false] {
        let (scene, outcomes) = scene(TestDatabase::sqlite(), are_fresh).await;
        scene.settle(outcomes).await;
        results.push(sorted(&all(&scene).await));
    }
    assert_eq!(results[0], results[1]);
}

fn is_of_a_message(row: &StoredRow) -> bool {
    row.2[0].as_deref().is_some_and(|kind| kind.starts_with("message."))
}

/// Ids of events depend on how many were made before in the same millisecond; their content and order do not.
fn sorted(all: &[StoredRow]) -> Vec<StoredRow> {
    let mut all = all.to_vec();
    for row in all.iter_mut().filter(|row| row.0 == "event") {
        row.1 = Uuid::nil();
    }
    all.sort();
    all
}
