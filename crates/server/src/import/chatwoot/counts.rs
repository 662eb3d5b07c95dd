//! What an import would bring, and what it would not, from reads alone.

use frontdesk_db::Store;
use frontdesk_kernel::Country;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::imports::ImportedKind;

use super::account::TheirAccount;
use super::contact_rows::TheirContact;
use super::source::Source;
use crate::error::Result;
use crate::import::Tally;

/// What is counted: its name, the kind of the rows that were brought before, and how many rows there are.
const COUNTED: &[(&str, &str, &str)] = &[
    ("members", "member", "SELECT count(*) FROM account_users a JOIN users u ON u.id = a.user_id WHERE a.account_id = $1::bigint AND u.email LIKE '%@%'"),
    ("channels", "inbox", "SELECT count(*) FROM inboxes WHERE account_id = $1::bigint"),
    ("tags", "", "SELECT count(*) FROM labels WHERE account_id = $1::bigint"),
    ("contacts", "contact", "SELECT count(*) FROM contacts WHERE account_id = $1::bigint"),
    ("conversations", "conversation", "SELECT count(*) FROM conversations v WHERE v.account_id = $1::bigint
        AND EXISTS (SELECT 1 FROM contacts c WHERE c.id = v.contact_id) AND EXISTS (SELECT 1 FROM inboxes i WHERE i.id = v.inbox_id)"),
    ("messages", "", MESSAGES),
    ("files", "", "SELECT count(*) FROM attachments a JOIN active_storage_attachments s ON s.record_type = 'Attachment' AND s.name = 'file' AND s.record_id = a.id
        WHERE a.account_id = $1::bigint"),
    ("notes", "note", "SELECT count(*) FROM notes WHERE account_id = $1::bigint"),
    ("notes", "private message", "SELECT count(*) FROM messages m WHERE m.account_id = $1::bigint AND m.message_type <> 2 AND m.private"),
    ("canned replies", "canned response", "SELECT count(*) FROM canned_responses WHERE account_id = $1::bigint"),
];
const MESSAGES: &str = "SELECT count(*) FROM messages m WHERE m.account_id = $1::bigint AND m.message_type <> 2 AND NOT m.private";
/// What does not come along, and how much of it there is.
const LEFT_OUT: &[(&str, &str)] = &[
    ("lines of activity, such as \"the conversation was resolved\"",
        "SELECT count(*) FROM messages m WHERE m.account_id = $1::bigint AND m.message_type = 2"),
    ("members without an email address",
        "SELECT count(*) FROM account_users a JOIN users u ON u.id = a.user_id WHERE a.account_id = $1::bigint AND (u.email IS NULL OR u.email NOT LIKE '%@%')"),
    ("conversations whose contact is gone",
        "SELECT count(*) FROM conversations v WHERE v.account_id = $1::bigint AND NOT EXISTS (SELECT 1 FROM contacts c WHERE c.id = v.contact_id)"),
    ("conversations whose inbox is gone",
        "SELECT count(*) FROM conversations v WHERE v.account_id = $1::bigint AND NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.id = v.inbox_id)"),
    ("attributes of conversations",
        "SELECT count(*) FROM conversations v WHERE v.account_id = $1::bigint AND v.custom_attributes IS NOT NULL AND CAST(v.custom_attributes AS text) NOT IN ('{}', 'null')"),
    ("files of private notes",
        "SELECT count(*) FROM attachments a JOIN messages m ON m.id = a.message_id WHERE m.account_id = $1::bigint AND m.private"),
    ("channels without a counterpart, whose conversations are kept as web chats",
        "SELECT count(*) FROM inboxes WHERE account_id = $1::bigint AND channel_type NOT IN ('Channel::Whatsapp', 'Channel::FacebookPage', 'Channel::Instagram', 'Channel::WebWidget')
            AND NOT (channel_type = 'Channel::TwilioSms' AND EXISTS (SELECT 1 FROM channel_twilio_sms t WHERE t.id = channel_id AND t.medium = 1))"),
];
/// Contacts that are read at once.
const PAGE_ROWS: i64 = 1_000;

/// Counts an account there; `known` is the account here that it was brought into before.
pub(crate) async fn count(
    source: &mut Source,
    store: &Store,
    theirs: &TheirAccount,
    (known, country): (Option<AccountId>, Option<Country>),
) -> Result<Tally> {
    let mut tally = Tally::default();
    for (name, kind, sql) in COUNTED {
        let rows = source.number(sql, &[&theirs.id])? as usize;
        let before = match known.filter(|_| !kind.is_empty()) {
            Some(account) => {
                let kind = ImportedKind { account, source: theirs.source_name(), kind };
                store.scan(move |tx| kind.count(tx)).await? as usize
            }
            None => 0,
        };
        tally.there_before(name, before.min(rows));
        tally.brought(name, rows.saturating_sub(before));
    }
    left_out(source, theirs, &mut tally)?;
    let mut after = 0;
    loop {
        let page = TheirContact::page(source, theirs.id, after, PAGE_ROWS)?;
        let Some(last) = page.last() else { return Ok(tally) };
        after = last.id;
        for contact in &page {
            if let Err(wrong) = contact.phone(country) {
                tally.left_out("numbers that cannot exist; their contacts come without", wrong);
            }
            if let Err(wrong) = contact.email() {
                tally.left_out("addresses that cannot exist; their contacts come without", wrong);
            }
        }
    }
}

/// Counts what does not come along and is known without reading every row.
pub(super) fn left_out(source: &mut Source, theirs: &TheirAccount, tally: &mut Tally) -> Result<()> {
    for (reason, sql) in LEFT_OUT {
        // Those that were found row by row are counted already.
        if tally.left_out.contains_key(reason) {
            continue;
        }
        let rows = source.number(sql, &[&theirs.id])?;
        tally.left_out_many(reason, rows);
    }
    Ok(())
}

/// About how many rows an import looks at, for its progress. Messages are read twice.
pub(crate) fn steps(source: &mut Source, theirs: &TheirAccount) -> Result<u64> {
    let mut steps = source.number(MESSAGES, &[&theirs.id])?;
    for (_, _, sql) in COUNTED
        .iter()
        .filter(|(name, ..)| matches!(*name, "contacts" | "conversations" | "messages" | "notes"))
    {
        steps += source.number(sql, &[&theirs.id])?;
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_of_one_account() {
        let all = COUNTED.iter().map(|(.., sql)| *sql).chain(LEFT_OUT.iter().map(|(_, sql)| *sql));
        for sql in all {
            assert!(sql.starts_with("SELECT count(*)") && sql.contains("$1::bigint"), "{sql}");
        }
    }
}
