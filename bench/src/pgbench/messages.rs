//! The scripts that write the rows of messages, one message to a transaction.

use frontdesk_inbox::messages::event_types;

use super::script::{ID, NEXT_ID, array, ended, filled};
use crate::statements;

/// Copies of the product's tables, with their indexes and rows. No server finds anything to send in them.
pub(super) const APART: &str = "CREATE SCHEMA apart
    CREATE TABLE conversations (LIKE public.conversations INCLUDING ALL)
    CREATE TABLE messages (LIKE public.messages INCLUDING ALL)
    CREATE TABLE message_statuses (LIKE public.message_statuses INCLUDING ALL)
    CREATE TABLE sends (LIKE public.sends INCLUDING ALL)
    CREATE TABLE events (LIKE public.events INCLUDING ALL);
    INSERT INTO apart.conversations SELECT * FROM public.conversations;
    INSERT INTO apart.messages SELECT * FROM public.messages;
    INSERT INTO apart.events SELECT * FROM public.events;";

/// The numbers of the previous transaction. Each transaction marks the message of the previous one as sent.
const BEFORE: &str = "\\set high_before :high
     \\set random_before :random
     \\set place_before :place";
const ID_BEFORE: &str = "(lpad(to_hex(:high_before::bigint), 16, '0') || '8' || lpad(to_hex(:random_before::bigint), 15, '0'))::uuid";
/// The id of a second event of the same message.
const ID_BESIDE: &str =
    "(lpad(to_hex(:high::bigint), 16, '0') || '9' || lpad(to_hex(:random::bigint), 15, '0'))::uuid";

type Values = Vec<(&'static str, String)>;

/// The account, connection, conversations and text of the messages.
pub(crate) struct MessageScripts {
    pub(crate) account: String,
    pub(crate) connection: String,
    /// Conversations and their contacts.
    pub(crate) conversations: Vec<(String, String)>,
    pub(crate) person: String,
    pub(crate) text: String,
    /// The payload that is queued for the channel.
    pub(crate) payload: String,
    /// The data of a message's events: that it was received or accepted by the channel, and that its status changed.
    pub(crate) event: String,
    pub(crate) change: String,
}

impl MessageScripts {
    /// Writes a message, its conversation, its contact and its event.
    pub(super) fn inbound(&self) -> (String, Values) {
        let [account, connection] = self.owner();
        let [conversation, contact] = self.conversation();
        // The channel's timestamps are in seconds.
        let at = "date_trunc('second', now())";
        let message =
            message(&account, &conversation, &connection, ["inbound", "customer", "delivered"], TAKEN);
        let event = [&account, ID, &kind(event_types::RECEIVED.name()), ":event"];
        let script = ended([
            "BEGIN",
            &filled(statements::insert_message(), &message.each_ref().map(String::as_str)),
            &filled(
                statements::conversation_inbound(),
                &[&account, &conversation, "'open'", "now()", ":text", at, "'human'", "NULL", "false"],
            ),
            &filled(statements::contact_inbound(), &[&account, &contact, at]),
            &filled(statements::insert_event(), &event),
            "COMMIT",
        ]);
        (format!("{NEXT_ID}\n{}\n{script}", self.turn()), self.values())
    }

    /// Writes a message, its conversation and its row in the queue, and that the channel accepted the previous message.
    pub(super) fn outbound(&self) -> (String, Values) {
        let [account, connection] = self.owner();
        let [conversation, _] = self.conversation();
        let message = message(&account, &conversation, &connection, ["outbound", "bot", "sending"], "NULL");
        let (person, none) = (":person", "NULL");
        let send =
            [&account, ID, "0", &connection, &conversation, person, ":payload", none, "0", "now()", "true"];
        let taken = [&account, ID_BEFORE, "'sent'", none, "'wamid.raw.' || :place_before::text", "1"];
        let status = [&account, ID, "1", "'sent'", "now()", none];
        let sent = [&account, ID, &kind(event_types::SENT.name()), ":event"];
        let changed = [&account, ID_BESIDE, &kind(event_types::STATUS_CHANGED.name()), ":change"];
        let script = ended([
            "BEGIN",
            &filled(statements::insert_message(), &message.each_ref().map(String::as_str)),
            &filled(statements::conversation_outbound(), &[&account, &conversation, "now()", ":text"]),
            &filled(statements::queue_send(), &send),
            &filled(statements::end_send(), &[&account, ID_BEFORE, "0"]),
            &filled(statements::set_message(), &taken),
            &filled(statements::insert_status(), &status),
            &filled(statements::insert_event(), &sent),
            &filled(statements::insert_event(), &changed),
            "COMMIT",
        ]);
        (format!("{BEFORE}\n{NEXT_ID}\n{}\n{script}", self.turn()), self.values())
    }

    fn owner(&self) -> [String; 2] {
        [&self.account, &self.connection].map(|id| format!("'{id}'::uuid"))
    }

    fn conversation(&self) -> [String; 2] {
        let (conversations, contacts): (Vec<String>, Vec<String>) =
            self.conversations.iter().cloned().unzip();
        [conversations, contacts].map(|ids| format!("({})[:conversation]", array(ids.into_iter(), "uuid")))
    }

    /// The conversations take turns across all clients.
    fn turn(&self) -> String {
        format!("\\set conversation (:i * :clients + :client_id) % {} + 1", self.conversations.len())
    }

    fn values(&self) -> Values {
        let mut values: Values = ["high", "random", "place"].map(|name| (name, "0".to_owned())).to_vec();
        let said = [
            ("person", &self.person),
            ("text", &self.text),
            ("payload", &self.payload),
            ("event", &self.event),
            ("change", &self.change),
        ];
        values.extend(said.map(|(name, value)| (name, value.clone())));
        values
    }
}

/// The channel's id of a message that it has accepted.
const TAKEN: &str = "'wamid.raw.' || :place::text";

fn kind(event_type: &str) -> String {
    format!("'{event_type}'")
}

fn message(
    account: &str,
    conversation: &str,
    connection: &str,
    [direction, sender, status]: [&str; 3],
    channel_message_id: &str,
) -> [String; 17] {
    let none = "NULL";
    let quoted = |word: &str| format!("'{word}'");
    let [direction, sender, status] = [direction, sender, status].map(quoted);
    [
        account,
        ID,
        conversation,
        connection,
        &direction,
        &sender,
        "'text'",
        ":text",
        none,
        none,
        none,
        none,
        &status,
        channel_message_id,
        none,
        none,
        "lower(:text)",
    ]
    .map(str::to_owned)
}
