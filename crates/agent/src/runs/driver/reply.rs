//! Finishes a run that answers a customer. Its final text is the reply.

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_inbox::conversations;
use frontdesk_inbox::media::{self, Links};
use frontdesk_inbox::messages::{self, AssistantRunId, MessageError, MessageId, NewMessage};
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::{Failure, FieldPath, Input as _, Problems};
use serde_json::{Value, json};

use super::super::advance::{self, End, TAKEN_OVER};
use super::super::event::{self, Logged, RunEventType};
use super::super::row;
use super::Agent;
use super::sql;
use super::step_context::{StepContext, has_conversation};
use super::voice::{self, Voice};

/// The shortest piece that a long reply is cut into.
const PIECE_CHARS_MIN: usize = 200;
/// The longest piece that any channel takes.
const PIECE_CHARS_MAX: usize = 4_096;

/// The outcome of sending a reply.
pub(super) enum Speech {
    HistoryMessage(Vec<MessageId>),
    /// It cannot be sent; the text says why.
    Refused(String),
}

/// Ends a run that answers a customer. The same transaction sends the reply, after it checks that the reply may still
/// be sent.
pub(super) async fn finish(agent: &Agent, context: &Arc<StepContext>, text: String) -> db::Result<()> {
    let voice = match voice::speak(agent, context, &text).await? {
        Voice::Note(speech) => Some(speech),
        Voice::Text => None,
        Voice::Lost => return Ok(()),
    };
    let links = Links::of(&agent.server.services);
    let moves = media::moves_new_files(&agent.server.services);
    let (context, by) = (context.clone(), context.by(agent));
    let committed = agent.server.store.write(move |tx| {
        if let Some(conversation) = context.row.run.conversation_id {
            // Lock the conversation before the run, as everywhere.
            tx.find_to_change(sql::HOLD_CONVERSATION, &[&by.account, &conversation], |_| Ok(()))?;
        }
        let job = context.job;
        let Some(mut held) = row::hold_leased(tx, job.account, job.run, job.lease)? else { return Ok(()) };
        let mut end = End::Succeeded(text.clone());
        if !held.machine.silenced {
            if !has_conversation(tx, &context)? {
                end = End::Cancelled(TAKEN_OVER);
            } else if !text.is_empty() {
                let speech = match &voice {
                    Some(note) => say_aloud(tx, &by, &context, &text, note, (&links, moves))?,
                    None => say(tx, &by, &context, &text)?,
                };
                match speech {
                    Speech::HistoryMessage(sent) => {
                        held.replied = true;
                        for id in sent {
                            let data = json!({ "message_id": id });
                            let logged = Logged { kind: RunEventType::MessageSent, data };
                            event::log(tx, &by, job.run, &logged)?;
                        }
                    }
                    Speech::Refused(why) => end = End::Failed(why),
                }
            }
        }
        advance::end(tx, &by, held, end)?;
        db::Result::Ok(())
    });
    committed.await
}

/// Sends text into the run's conversation, in as many messages as its channel needs.
pub(super) fn say(tx: &mut Tx<'_>, by: &By, context: &StepContext, words: &str) -> db::Result<Speech> {
    let Some(id) = context.row.run.conversation_id else {
        return Ok(Speech::Refused("This run is not about a conversation.".to_owned()));
    };
    let Some(conversation) = conversations::find(tx, by.account, id)? else {
        return Ok(Speech::Refused("The conversation is gone.".to_owned()));
    };
    let fits = |piece: &str| {
        piece.chars().count() <= PIECE_CHARS_MAX && conversation.channel.too_long(piece).is_none()
    };
    let mut sent = Vec::new();
    for piece in pieces(&words.replace('\0', ""), fits) {
        let body = json!({ "type": "text", "to": { "conversation_id": id }, "text": piece });
        match send(tx, by, context, &body)? {
            Ok(message) => sent.push(message),
            // A refusal happens before anything is written, and it applies to all pieces alike.
            Err(why) => return Ok(Speech::Refused(why)),
        }
    }
    Ok(Speech::HistoryMessage(sent))
}

/// Sends a voice note into the run's conversation. The spoken text is stored as the text of the message.
fn say_aloud(
    tx: &mut Tx<'_>,
    by: &By,
    context: &StepContext,
    words: &str,
    note: &frontdesk_models::Speech,
    (links, moves): (&Links, bool),
) -> db::Result<Speech> {
    let conversation = match context.row.run.conversation_id {
        Some(id) => conversations::find(tx, by.account, id)?,
        None => None,
    };
    let Some(conversation) = conversation else {
        return Ok(Speech::Refused("The conversation is gone.".to_owned()));
    };
    let media =
        media::keep(tx, by, conversation.connection_id, "audio", note.content_type, &note.audio, moves)?;
    let url = links.to(media, by.now);
    let body = json!({
        "type": "media", "to": { "conversation_id": conversation.id }, "media": { "kind": "audio", "url": url },
    });
    match send(tx, by, context, &body)? {
        Ok(message) => {
            messages::attach(tx, by.account, message, media)?;
            messages::fill_text(tx, by, message, &words.replace('\0', ""))?;
            Ok(Speech::HistoryMessage(vec![message]))
        }
        Err(why) => Ok(Speech::Refused(why)),
    }
}

/// Sends a message as POST /messages does. Returns its id, or why it cannot be sent.
fn send(
    tx: &mut Tx<'_>,
    by: &By,
    context: &StepContext,
    body: &Value,
) -> db::Result<Result<MessageId, String>> {
    let Some(new) = NewMessage::read(Some(body), &mut FieldPath::root(), &mut Problems::new()) else {
        return Ok(Err("The reply is not a text that can be sent.".to_owned()));
    };
    match messages::send(tx, by, &new) {
        Ok(message) => {
            let run = AssistantRunId::from_uuid(context.row.run.id.uuid());
            messages::note_run(tx, by.account, message.id, run)?;
            Ok(Ok(message.id))
        }
        Err(MessageError::Platform(PlatformError::Store(error))) => Err(error),
        Err(error) => Ok(Err(Failure::from(error).message().to_owned())),
    }
}

/// Splits a text into pieces that fit: at paragraphs, or else at line breaks, sentences or spaces.
fn pieces(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut rest = text.trim();
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let end = if fits(rest) { rest.len() } else { cut(rest, &fits) };
        let (piece, left) = rest.split_at(end);
        pieces.push(piece.trim().to_owned());
        rest = left.trim_start();
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Where to cut a text that does not fit.
fn cut(text: &str, fits: &impl Fn(&str) -> bool) -> usize {
    // Find the longest prefix that fits, by binary search.
    let ends: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    let longest = ends.partition_point(|end| fits(&text[..*end])).max(1);
    let window = &text[..ends[longest - 1]];
    let least = ends[PIECE_CHARS_MIN.min(longest) - 1];
    let at = |mark: &str| window.rfind(mark).map(|at| at + mark.len()).filter(|at| *at >= least);
    at("\n\n").or_else(|| at("\n")).or_else(|| at(". ")).or_else(|| at(" ")).unwrap_or(window.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_that_fits_stays_whole() {
        assert_eq!(pieces(" Hello there. ", |piece| piece.len() < 100), ["Hello there."]);
        assert_eq!(pieces("  ", |_| true), Vec::<String>::new());
    }

    #[test]
    fn a_long_text_is_cut_where_it_hurts_least() {
        let fits = |piece: &str| piece.chars().count() <= 1_000;
        let text = format!("{}\n\n{}", "a ".repeat(300), "b. ".repeat(300));
        let cut = pieces(&text, fits);
        assert_eq!(cut.len(), 2);
        assert!(cut[0].ends_with('a') && cut[1].starts_with('b'));
    }

    proptest! {
        #[test]
        fn pieces_fit_and_lose_nothing_but_blanks(text in "[a-zé \n.]{0,3000}", most in 1_usize..1_200) {
            let cut = pieces(&text, |piece| piece.chars().count() <= most);
            prop_assert!(cut.iter().all(|piece| piece.chars().count() <= most));
            let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(solid(&cut.concat()), solid(&text));
        }
    }
}
