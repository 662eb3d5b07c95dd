//! Messages: each that a customer wrote is stored once; each of ours reached the channel once, or nobody can know.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{Check, Outcome, field};
use crate::scene::{QUIET, WRITTEN_TO, customer};

/// The only reason for which a message may fail here.
const UNKNOWN: &str = "unknown_outcome";
/// Calls that a killed server may have begun without the channel hearing of them: they were being written.
pub(super) const UNHEARD_AT_A_KILL: usize = 8;
/// After a crash of PostgreSQL every message that a server was sending counts as begun: so many at once.
pub(super) const UNHEARD_AT_A_CRASH: usize = 256;

pub(super) fn messages(check: &mut Check<'_>) -> Outcome {
    let (mut inbound, mut outbound) = (Vec::new(), Vec::new());
    let mut unread = HashMap::new();
    for number in 0..WRITTEN_TO + QUIET {
        let phone = customer(number);
        let contact = check.caller.walk(&format!("/contacts?phone=%2B{phone}"))?;
        let contact = contact.first().map_or("nobody", |row| field(row, "id")).to_owned();
        let conversations = check.caller.walk(&format!("/conversations?contact_id={contact}"))?;
        check.report.demand(conversations.len() == 1, || {
            format!("{phone} has {} conversations", conversations.len())
        });
        for conversation in &conversations {
            let path = format!("/conversations/{}/messages", field(conversation, "id"));
            let rows = check.caller.walk(&path)?.into_iter().rev().map(|row| (phone.clone(), row));
            let (from, ours): (Vec<_>, Vec<_>) = rows.partition(|(_, row)| row["direction"] == "inbound");
            inbound.extend(from);
            outbound.extend(ours);
            unread.insert(phone.clone(), conversation["unread_count"].as_u64().unwrap_or_default());
        }
    }
    received(check, &inbound, &unread);
    sent(check, &outbound)
}

/// What customers wrote, and how much of it is counted as unread.
fn received(check: &mut Check<'_>, stored: &[(String, Value)], unread: &HashMap<String, u64>) {
    let mut found: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for (phone, row) in stored {
        *found.entry((field(row, "channel_message_id"), phone, field(row, "text"))).or_default() += 1;
        *counts.entry(phone).or_default() += 1;
    }
    for told in &check.entries.inbound {
        let times = found.get(&(told.channel_id.as_str(), told.from.as_str(), told.text.as_str()));
        check.report.demand(times == Some(&1), || format!("{told:?} is stored {times:?} times"));
    }
    // Everybody began with a greeting.
    let wanted = check.entries.inbound.len() + WRITTEN_TO + QUIET;
    check.report.demand(stored.len() == wanted, || {
        format!("{} inbound messages are stored, not {wanted}", stored.len())
    });
    for (phone, unread) in unread {
        let wanted = counts.get(phone.as_str()).copied().unwrap_or_default();
        check.report.demand(*unread == wanted, || {
            format!("the conversation of {phone} has {unread} unread messages, not {wanted}")
        });
    }
    check.report.checked("messages from customers", wanted);
    check.report.checked("counts of unread messages", unread.len());
}

/// What we wrote.
fn sent(check: &mut Check<'_>, stored: &[(String, Value)]) -> Outcome {
    let taken = check.scene.outside.taken();
    let mut times: HashMap<&str, usize> = HashMap::new();
    for message in &taken {
        *times.entry(&message.our_id).or_default() += 1;
    }
    for (id, times) in times.iter().filter(|(_, times)| **times > 1) {
        check.report.problem(format!("the message {id} reached the channel {times} times"));
    }
    let by_id: HashMap<&str, &Value> = stored.iter().map(|(_, row)| (field(row, "id"), row)).collect();
    check.report.demand(stored.len() == check.entries.messages.len(), || {
        format!("{} messages of ours are stored, not {}", stored.len(), check.entries.messages.len())
    });
    let mut unheard = 0;
    for message in &check.entries.messages {
        let Some(row) = by_id.get(message.id.as_str()) else {
            check.report.problem(format!("{message:?} is lost"));
            continue;
        };
        let is_same =
            field(row, "text") == message.text && field(row, "conversation_id") == message.conversation;
        check.report.demand(is_same, || format!("{message:?} is stored as {row}"));
        unheard += usize::from(outcome(check, row, times.contains_key(message.id.as_str()))?);
    }
    let texts: HashSet<(&str, &str)> =
        taken.iter().filter_map(|taken| Some((taken.our_id.as_str(), taken.text.as_deref()?))).collect();
    for message in check.entries.messages.iter().filter(|message| times.contains_key(message.id.as_str())) {
        let is_same = texts.contains(&(message.id.as_str(), message.text.as_str()));
        check.report.demand(is_same, || format!("{message:?} reached the channel with another text"));
    }
    in_order(check);
    unheard_is_possible(check, unheard, "messages");
    check.report.checked("messages to customers", stored.len());
    check.report.checked("  that failed, as their call may have begun", unheard);
    Ok(())
}

/// Whether a message failed without having reached the channel.
fn outcome(check: &mut Check<'_>, row: &Value, has_arrived: bool) -> Result<bool, String> {
    let id = field(row, "id");
    if has_arrived {
        // The channel has reported it.
        check.report.demand(row["status"] == "delivered", || format!("{row} is not delivered"));
        return Ok(false);
    }
    check.report.demand(row["status"] == "failed", || format!("{row} never reached the channel"));
    let statuses = check.caller.walk(&format!("/messages/{id}/statuses"))?;
    let reason = statuses.last().map(|status| status["error"]["reason"].clone()).unwrap_or_default();
    check.report.demand(reason == UNKNOWN, || format!("{id} failed for the reason {reason}"));
    Ok(true)
}

/// The messages of a conversation reached the customer in the order in which they were acknowledged to each caller.
fn in_order(check: &mut Check<'_>) {
    let taken = check.scene.outside.taken();
    let mut last: HashMap<(&str, &str), usize> = HashMap::new();
    for taken in &taken {
        let Some((caller, step)) = taken.text.as_deref().and_then(|text| text.rsplit_once('-')) else {
            continue;
        };
        let step: usize = step.parse().unwrap_or_default();
        let before = last.insert((caller, &taken.to), step).unwrap_or_default();
        check.report.demand(before < step, || {
            format!("{} got the message {step} of {caller} after {before}", taken.to)
        });
    }
}

/// Demands that no more messages failed than calls can have begun when something was killed.
pub(super) fn unheard_is_possible(check: &mut Check<'_>, unheard: usize, what: &str) {
    let faults = &check.report.faults;
    let possible = faults.kills * UNHEARD_AT_A_KILL + faults.postgres_crashes * UNHEARD_AT_A_CRASH;
    check.report.demand(unheard <= possible, || {
        format!("{unheard} {what} failed though at most {possible} calls can have begun")
    });
}
