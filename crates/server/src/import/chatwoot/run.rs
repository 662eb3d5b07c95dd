//! All steps of an account's import, in their order.

use super::compare::Compared;
use super::counts::left_out;
use super::import::{Import, Progress};
use crate::error::Result;
use crate::import::Tally;

impl Import<'_> {
    /// Brings everything that is not here yet, and compares.
    pub(crate) async fn run(mut self, progress: Progress<'_>) -> Result<(Tally, Compared)> {
        self.bring_members().await?;
        self.bring_inboxes().await?;
        self.bring_fields().await?;
        self.bring_labels().await?;
        self.bring_contacts(progress).await?;
        self.bring_conversations(progress).await?;
        self.bring_messages(progress).await?;
        self.bring_private_notes(progress).await?;
        self.bring_contact_notes(progress).await?;
        self.bring_replies().await?;
        left_out(self.source, &self.theirs, &mut self.tally)?;
        let compared = self.compare(progress).await?;
        Ok((self.tally, compared))
    }
}
