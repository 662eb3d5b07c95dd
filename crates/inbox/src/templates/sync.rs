//! Syncs templates: reads the vendor's whole list and stores it.

use frontdesk_channels as channels;
use frontdesk_db as db;
use frontdesk_platform::{ServerContext, Services};

use super::take_over;
use crate::calls;
use crate::connections::{self, StoredConnection};

/// Pages of the vendor's list that one sync reads. A page has a hundred templates, and the vendor allows six
/// thousand.
const PAGES_MAX: usize = 100;

/// Why a sync failed.
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

/// Reads the vendor's whole list and stores it. Returns the number of templates.
pub async fn sync(server: &ServerContext, connection: &StoredConnection) -> Result<usize, SyncError> {
    let listed = fetch(&server.services, connection).await?;
    let (count, connection, recorder, now) =
        (listed.len(), connection.clone(), server.recorder.clone(), (server.clock)());
    server.store.write(move |tx| take_over(tx, recorder.ids(), &connection, &listed, now)).await?;
    Ok(count)
}

async fn fetch(
    services: &Services,
    connection: &StoredConnection,
) -> Result<Vec<channels::Template>, SyncError> {
    if connection.channel() != connections::Channel::Whatsapp {
        return Err(SyncError::NoTemplates);
    }
    let credentials = connection.credentials(&services.secrets).ok_or(SyncError::Sealed)?;
    let vendor = credentials.whatsapp(connection, services).ok_or(SyncError::NoTemplates)?;
    let mut listed = Vec::new();
    let mut after = None;
    for _ in 0..PAGES_MAX {
        let response = calls::make(services, vendor.templates(after.as_deref()))
            .await
            .map_err(|error| SyncError::Unreached(error.to_string()))?;
        let page = vendor
            .templates_listed(&response.read())
            .map_err(|refusal| SyncError::Refused { code: refusal.code, message: refusal.message })?;
        listed.extend(page.templates);
        after = page.after;
        if after.is_none() {
            break;
        }
    }
    Ok(listed)
}
