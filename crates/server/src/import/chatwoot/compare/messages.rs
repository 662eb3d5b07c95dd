//! Messages: their directions and texts.

use frontdesk_inbox::imports;
use frontdesk_inbox::messages::{Direction, MessageId, SenderType};

use super::super::import::{Import, Progress};
use super::super::messages::Place;
use super::super::pages::TheirMessage;
use super::super::parts::Part;
use super::{ComparedRows, Comparison};
use crate::error::Result;

impl Import<'_> {
    pub(super) async fn compare_messages(&mut self, progress: Progress<'_>) -> Result<ComparedRows> {
        let (mut comparison, mut after) = (Comparison::default(), 0);
        loop {
            let page = TheirMessage::page(self.source, self.theirs.id, after)?;
            let Some(last) = page.last() else { return Ok(comparison.end()) };
            after = last.id;
            progress(page.len() as u64);
            let places = self.places(&page).await?;
            let is_here =
                |message: &&TheirMessage| matches!(places.get(&message.conversation), Some(Place::Here(..)));
            let wanted: Vec<(MessageId, Direction, &Part)> =
                page.iter().filter(is_here).flat_map(|message| self.expected_of(message)).collect();
            let (by, ids) = (self.by_now(), wanted.iter().map(|(id, ..)| *id).collect::<Vec<_>>());
            let found = self.server.store.scan(move |tx| imports::there(tx, &by, &ids)).await?;
            for ((id, direction, part), found) in wanted.into_iter().zip(found) {
                let Some((our_direction, our_text)) = found else {
                    comparison.missing();
                    continue;
                };
                let text = expected(part, our_text.as_deref());
                let said = |direction: Direction, text| vec![Some(direction.as_str().to_owned()), text];
                comparison.row(id.uuid(), &said(direction, text), &said(our_direction, our_text));
            }
        }
    }

    fn expected_of<'m>(&self, message: &'m TheirMessage) -> Vec<(MessageId, Direction, &'m Part)> {
        let direction = match message.sender() {
            SenderType::Customer => Direction::Inbound,
            SenderType::Agent | SenderType::Bot => Direction::Outbound,
        };
        let parts = message.parts.iter().enumerate();
        parts.map(|(at, part)| (message.id_of(at, self.origin), direction, part)).collect()
    }
}

/// What a message should say. One whose file did not come along names the file; one that is only a file may have got a
/// text here, such as what is said in it.
fn expected(part: &Part, ours: Option<&str>) -> Option<String> {
    let with_file = part.text_with_file();
    match part {
        Part::File { .. } if with_file.is_none() => ours.map(ToOwned::to_owned),
        Part::File { .. } if ours != with_file.as_deref() => part.text_without_file(),
        _ => with_file,
    }
}
