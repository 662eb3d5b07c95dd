//! Where a stored file is, and what reaches it.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Store, Tx};
use frontdesk_files::{FileId, FileKey, FilePlaces, Place, PlaceClient};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::events::Recorder;
use frontdesk_platform::{Clock, ServerContext, settings};

use super::MediaId;
use super::sql::LOCATE;

/// The setting that has a place's address begins so, and ends with the place's name.
const SETTING: &str = "media_place ";

/// What is needed to read, move and delete files, wherever they are.
#[derive(Clone)]
pub struct MediaFiles {
    pub store: Store,
    pub places: Arc<FilePlaces>,
    pub clock: Clock,
    pub recorder: Arc<Recorder>,
}

impl MediaFiles {
    pub fn of(server: &ServerContext) -> Self {
        Self {
            store: server.store.clone(),
            places: server.services.files.clone(),
            clock: server.clock.clone(),
            recorder: server.recorder.clone(),
        }
    }

    /// What reaches a place, by its name.
    pub(super) async fn client(
        &self,
        place: &str,
    ) -> db::Result<Result<PlaceClient, frontdesk_files::FileError>> {
        let name = place.to_owned();
        let url = self.store.read(move |tx| url(tx, &name)).await?;
        Ok(match url {
            Some(url) => self.places.client(&url),
            None => Err(frontdesk_files::FileError::Unavailable(format!(
                "the address of {place} is not among the settings"
            ))),
        })
    }
}

/// A place outside the database, and the file's name there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub place: String,
    pub file: FileId,
}

impl Location {
    pub(super) fn key(&self, account: AccountId) -> FileKey {
        FileKey { account, file: self.file }
    }
}

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedFile {
    pub bytes: u64,
    /// None for a file that was stored before there were checksums.
    pub sha256: Option<[u8; 32]>,
    /// None in the database.
    pub location: Option<Location>,
}

/// Where a stored file is. None if it is not stored.
pub fn locate(tx: &mut ReadTx<'_>, account: AccountId, id: MediaId) -> db::Result<Option<LocatedFile>> {
    tx.find(LOCATE, &[&account, &id], |row| {
        let (bytes, sha256): (Option<i64>, Option<Vec<u8>>) = (row.next()?, row.next()?);
        let (place, file): (Option<String>, Option<FileId>) = (row.next()?, row.next()?);
        Ok(LocatedFile {
            bytes: bytes.unwrap_or(0) as u64,
            sha256: sha256.and_then(|hash| hash.try_into().ok()),
            location: place.zip(file).map(|(place, file)| Location { place, file }),
        })
    })
}

/// The address of a place.
pub(super) fn url(tx: &mut ReadTx<'_>, place: &str) -> db::Result<Option<String>> {
    settings::get(tx, &setting(place))
}

/// The setting with the address of a place.
pub fn setting(place: &str) -> String {
    format!("{SETTING}{place}")
}

/// Stores the address of a place under its name, before the first row has the name.
pub(super) fn remember(tx: &mut Tx<'_>, place: &Place) -> db::Result<()> {
    settings::put(tx, &setting(&place.name), &place.url)
}
