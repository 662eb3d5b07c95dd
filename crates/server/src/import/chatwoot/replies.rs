//! Brings canned replies.

use frontdesk_inbox::canned_replies::{self, CannedReplyError, NewCannedReply};
use frontdesk_inbox::media::Links;

use super::import::{Import, Outcome, told};
use super::source::micros;
use crate::error::{Error, Result};

const REPLIES: &str = concat!(
    "SELECT CAST(id AS bigint), ",
    micros!("created_at"),
    ", coalesce(short_code, '')::text, coalesce(content, '')
    FROM canned_responses WHERE account_id = $1::bigint ORDER BY id"
);
const KIND: &str = "canned replies";

impl Import<'_> {
    pub(super) async fn bring_replies(&mut self) -> Result<()> {
        let theirs = self.source.query(REPLIES, &[&self.theirs.id], |row| {
            let (id, created): (i64, i64) = (row.next()?, row.next()?);
            Ok((id, created, row.next::<String>()?, row.next::<String>()?))
        })?;
        for (number, created, shortcut, body) in theirs {
            let (Ok(new_shortcut), Ok(new_body)) = (shortcut.trim().parse(), body.parse()) else {
                self.tally.left_out("canned replies that are empty or too long", shortcut);
                continue;
            };
            let new = NewCannedReply { shortcut: new_shortcut, body: new_body, media_ids: None };
            let (kind, by, links) =
                (self.kind("canned response"), self.by_at(created), Links::of(&self.server.services));
            let outcome = self
                .write(move |tx| {
                    if kind.find(tx, number)?.is_some() {
                        return Ok(Some(Outcome::ThereBefore));
                    }
                    let key = new.shortcut.as_str().to_lowercase();
                    let known = canned_replies::list(tx, &by, &links)?;
                    let known = known.into_iter().find(|reply| reply.shortcut.to_lowercase() == key);
                    let (id, outcome) = match known {
                        Some(known) => (known.id, Outcome::Joined),
                        None => match canned_replies::create(tx, &by, &links, &new) {
                            Ok(made) => (made.id, Outcome::Brought),
                            Err(CannedReplyError::TooMany(_)) => return Ok(None),
                            Err(CannedReplyError::ShortcutTaken) => return Err(Error::from(tx.again())),
                            Err(CannedReplyError::Platform(error)) => return Err(told(error)),
                            Err(error @ CannedReplyError::Invalid(_)) => {
                                return Err(Error::Invalid(error.to_string()));
                            }
                        },
                    };
                    kind.note(tx, number, id.uuid())?;
                    Ok(Some(outcome))
                })
                .await?;
            match outcome {
                Some(outcome) => self.count(KIND, outcome),
                None => {
                    self.tally.left_out("canned replies beyond the most that an account may have", shortcut);
                }
            }
        }
        Ok(())
    }
}
