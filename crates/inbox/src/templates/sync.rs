//! Syncing: the vendor's whole list is read and taken over.

use frontdesk_channels as channels;
use frontdesk_db as db;
use frontdesk_platform::{Means, Services};

use super::take_over;
use crate::calls;
use crate::connections::{self, Line};

/// Pages of the vendor's list that one sync reads: a hundred templates a page, and the vendor allows six thousand.
const PAGES_MAX: usize = 100;

/// Why templates were not synced.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("only a whatsapp connection has templates")]
    NoTemplates,
    #[error(
        "the settings of this connection cannot be read: they were sealed under another FRONTDESK_SECRET_KEY"
    )]
    Sealed,
    #[error("WhatsApp could not be reached: {0}")]
    Unreached(String),
    #[error("WhatsApp refused: {message} (code {code})")]
    Refused { code: String, message: String },
}

/// Reads the vendor's whole list and takes it over. Returns how many there are.
pub async fn sync(means: &Means, line: &Line) -> Result<usize, SyncError> {
    let listed = fetch(&means.services, line).await?;
    let (count, line, ids, now) = (listed.len(), line.clone(), means.ids.clone(), (means.clock)());
    means.store.write(move |tx| take_over(tx, ids.ids(), &line, &listed, now)).await?;
    Ok(count)
}

async fn fetch(services: &Services, line: &Line) -> Result<Vec<channels::Template>, SyncError> {
    if line.channel() != connections::Channel::Whatsapp {
        return Err(SyncError::NoTemplates);
    }
    let settings = line.settings(&services.secrets).ok_or(SyncError::Sealed)?;
    let vendor = settings.whatsapp(line, services).ok_or(SyncError::NoTemplates)?;
    let mut listed = Vec::new();
    let mut after = None;
    for _ in 0..PAGES_MAX {
        let answer = calls::make(services, vendor.templates(after.as_deref()))
            .await
            .map_err(|error| SyncError::Unreached(error.to_string()))?;
        let page = vendor
            .templates_listed(&answer.read())
            .map_err(|refusal| SyncError::Refused { code: refusal.code, message: refusal.message })?;
        listed.extend(page.templates);
        after = page.after;
        if after.is_none() {
            break;
        }
    }
    Ok(listed)
}
