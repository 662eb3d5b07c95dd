//! Brings inboxes as disconnected connections. Their credentials stay there.

use frontdesk_inbox::connections::ConnectionId;
use frontdesk_inbox::imports::{self, PastConnection};
use frontdesk_kernel::Id;

use super::account::name_of;
use super::channel::{Becomes, Inbox};
use super::import::Import;
use super::source::micros;
use crate::error::Result;

const INBOXES: &str = concat!(
    "SELECT CAST(i.id AS bigint), ", micros!("i.created_at"), ", i.name::text, coalesce(i.channel_type, '')::text,
        CAST(t.medium AS bigint), coalesce(w.phone_number, t.phone_number, f.page_id, e.email, i.email_address)::text
    FROM inboxes i
    LEFT JOIN channel_whatsapp w ON i.channel_type = 'Channel::Whatsapp' AND w.id = i.channel_id
    LEFT JOIN channel_twilio_sms t ON i.channel_type = 'Channel::TwilioSms' AND t.id = i.channel_id
    LEFT JOIN channel_facebook_pages f ON i.channel_type = 'Channel::FacebookPage' AND f.id = i.channel_id
    LEFT JOIN channel_email e ON i.channel_type = 'Channel::Email' AND e.id = i.channel_id
    WHERE i.account_id = $1::bigint ORDER BY i.id"
);
const KIND: &str = "channels";

struct TheirInbox {
    id: i64,
    created: i64,
    name: String,
    channel_type: String,
    medium: Option<i64>,
    address: Option<String>,
}

impl Import<'_> {
    pub(super) async fn bring_inboxes(&mut self) -> Result<()> {
        let theirs = self.source.query(INBOXES, &[&self.theirs.id], |row| {
            Ok(TheirInbox {
                id: row.next()?,
                created: row.next()?,
                name: row.next()?,
                channel_type: row.next()?,
                medium: row.next()?,
                address: row.next()?,
            })
        })?;
        for inbox in theirs {
            let becomes = Becomes::of(&inbox.channel_type, inbox.medium);
            if !becomes.is_known {
                let example = format!("{} ({})", inbox.name, becomes.name);
                self.tally.left_out(
                    "channels without a counterpart, whose conversations are kept as web chats",
                    example,
                );
            }
            let name = if becomes.is_known {
                inbox.name.clone()
            } else {
                format!("{} ({})", inbox.name, becomes.name)
            };
            let past = PastConnection {
                channel: becomes.channel,
                name: name_of(&name, becomes.name),
                address: inbox.address.clone(),
                reason: becomes.reason(),
            };
            let (kind, by, number) = (self.kind("inbox"), self.by_at(inbox.created), inbox.id);
            let keys = self.server.services.secrets.clone();
            let (connection, is_new) = self
                .write(move |tx| {
                    if let Some(known) = kind.find(tx, number)? {
                        return Ok((Id::from_uuid(known), false));
                    }
                    let made: ConnectionId = imports::connection(tx, &by, &keys, &past)?;
                    kind.note(tx, number, made.uuid())?;
                    Ok((made, true))
                })
                .await?;
            let (channel, knows_people) = (becomes.channel, becomes.knows_people());
            self.inboxes.insert(number, Inbox { connection, channel, knows_people });
            if is_new { self.tally.brought(KIND, 1) } else { self.tally.there_before(KIND, 1) }
        }
        Ok(())
    }
}
