//! The files of an installation, for commands.

use std::sync::Arc;

use frontdesk_db::{self as db, ReadTx, Store};
use frontdesk_files::{FileKey, FilePlaces};
use frontdesk_inbox::media::MediaFiles;
use frontdesk_kernel::Ids;
use frontdesk_platform::settings;

use crate::error::{Error, Result};
use crate::{clock, config, routes};

/// The setting that has where servers put new files.
const SETTING: &str = "media";

/// Stores where the server puts new files, for commands.
pub(crate) async fn remember(store: &Store, places: &FilePlaces) -> Result<()> {
    let now = places.target().map_or("database", |place| place.url.as_str()).to_owned();
    if store.read(recall).await?.as_ref() != Some(&now) {
        store.write(move |tx| settings::put(tx, SETTING, &now)).await?;
    }
    Ok(())
}

/// Where the server that was started last puts new files. None before one was.
pub(crate) fn recall(tx: &mut ReadTx<'_>) -> db::Result<Option<String>> {
    settings::get(tx, SETTING)
}

/// The places of the environment's variables.
pub(crate) fn places() -> Result<FilePlaces> {
    FilePlaces::read(config::variable, clock::now).map_err(Error::Invalid)
}

/// What a command needs to read and move files.
pub(crate) fn of_command(store: &Store) -> Result<MediaFiles> {
    Ok(MediaFiles {
        store: store.clone(),
        places: Arc::new(places()?),
        clock: Arc::new(clock::now),
        recorder: routes::recorder(),
    })
}

/// The name of a file that only checks whether a place works.
pub(crate) fn probe() -> FileKey {
    let ids = Ids::new();
    FileKey { account: ids.next(clock::now()), file: ids.next(clock::now()) }
}
