//! Brings labels as tags. A conversation has no tags here, so its labels become tags of its contact.

use frontdesk_crm::contacts::ContactTag;
use frontdesk_crm::imports;
use frontdesk_crm::tags::TagError;
use frontdesk_kernel::Text;

use super::import::{Import, told};
use crate::error::{Error, Result};

const LABELS: &str = "SELECT title::text, color::text FROM labels WHERE account_id = $1::bigint AND title IS NOT NULL ORDER BY id";
const KIND: &str = "tags";

impl Import<'_> {
    pub(super) async fn bring_labels(&mut self) -> Result<()> {
        let store = &self.server.store;
        let by = self.by_now();
        let known = store.scan(move |tx| imports::tags_of(tx, &by)).await?;
        self.tags = known.into_iter().map(|tag| (tag.name.to_lowercase(), tag)).collect();
        let theirs = self.source.query(LABELS, &[&self.theirs.id], |row| {
            Ok((row.next::<String>()?, row.next::<Option<String>>()?))
        })?;
        for (title, color) in theirs {
            if self.tags.contains_key(&title.to_lowercase()) {
                self.tally.there_before(KIND, 1);
            } else {
                self.tag(&title, color).await?;
            }
        }
        Ok(())
    }

    /// The tags of a row's labels.
    pub(super) async fn tags_of(&mut self, labels: Option<&str>) -> Result<Vec<ContactTag>> {
        let mut tags = Vec::new();
        for label in labels.unwrap_or_default().lines().filter(|label| !label.trim().is_empty()) {
            if !self.tags.contains_key(&label.to_lowercase()) {
                self.tag(label, None).await?;
            }
            tags.extend(self.tags.get(&label.to_lowercase()).cloned());
        }
        Ok(tags)
    }

    async fn tag(&mut self, title: &str, color: Option<String>) -> Result<()> {
        let Ok(name) = title.trim().parse::<Text<100>>() else {
            self.tally.left_out("labels whose name cannot be a tag's", title);
            return Ok(());
        };
        let by = self.by_now();
        let made = self
            .write(move |tx| match imports::tag_named(tx, &by, &name, color.as_deref()) {
                Ok(tag) => Ok(Some(tag)),
                Err(TagError::TooMany(_)) => Ok(None),
                Err(TagError::NameTaken) => Err(Error::from(tx.again())),
                Err(TagError::Platform(error)) => Err(told(error)),
            })
            .await?;
        match made {
            Some(tag) => {
                self.tags.insert(title.to_lowercase(), tag);
                self.tally.brought(KIND, 1);
            }
            None => self.tally.left_out("labels beyond the most tags that an account may have", title),
        }
        Ok(())
    }
}
