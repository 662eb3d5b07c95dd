//! Breaks one thing of each kind behind the servers' backs, to see that the checks find it (`--sabotage`).

use postgres::{Client, NoTls};

use crate::scene::Scene;

/// What is changed in the database, and a part of what the checks then say.
const BROKEN: [(&str, &str); 11] = [
    (
        "UPDATE contacts SET name = 'x' WHERE id = (SELECT id FROM contacts WHERE name LIKE 'person-%' LIMIT 1)",
        "the contact ",
    ),
    ("DELETE FROM notes WHERE id = (SELECT id FROM notes LIMIT 1)", "notes of "),
    ("UPDATE deals SET title = 'x' WHERE id = (SELECT id FROM deals LIMIT 1)", "the deal "),
    (
        "DELETE FROM messages WHERE id = (SELECT id FROM messages WHERE direction = 'inbound' AND text LIKE 'customer-%' LIMIT 1)",
        "is stored None times",
    ),
    (
        "UPDATE conversations SET unread_count = unread_count + 1 WHERE id = (SELECT id FROM conversations WHERE unread_count > 0 LIMIT 1)",
        "unread messages, not",
    ),
    (
        "UPDATE messages SET status = 'sent' WHERE id = (SELECT id FROM messages WHERE status = 'delivered' AND text LIKE 'sender-%' LIMIT 1)",
        "is not delivered",
    ),
    (
        "DELETE FROM broadcast_recipients WHERE id = (SELECT id FROM broadcast_recipients LIMIT 1)",
        "recipients are stored",
    ),
    (
        "UPDATE runs SET cost_micros = cost_micros + 1 WHERE id = (SELECT id FROM runs LIMIT 1)",
        "millionths were spent",
    ),
    (
        "UPDATE memories SET content = 'x' WHERE id = (SELECT id FROM memories LIMIT 1)",
        "took effect None times",
    ),
    (
        "UPDATE runs SET trigger_id = NULL WHERE id = (SELECT r.id FROM runs r JOIN triggers t ON t.id = r.trigger_id WHERE t.kind = 'once' LIMIT 1)",
        "fired 0 times",
    ),
    ("DELETE FROM events WHERE id = (SELECT max(id::text)::uuid FROM events)", "which is no event"),
];

/// Breaks them, and returns what the checks must say.
pub(crate) fn plant(scene: &Scene<'_>) -> Vec<&'static str> {
    let mut client = Client::connect(&scene.cluster.postgres.url(), NoTls).expect("PostgreSQL is there");
    for (statement, _) in BROKEN {
        let rows = client.execute(statement, &[]).expect("a change");
        assert_eq!(rows, 1, "nothing to break: {statement}");
    }
    scene.outside.forge();
    // Redis has forgotten what it had counted of a minute already.
    let outside = ["reached the channel 2 times", "events never came", "numbers of units"];
    BROKEN.iter().map(|(_, said)| *said).chain(outside).collect()
}
