//! Where files are: whether each place can be written to, read and deleted from, and has room.

use std::collections::BTreeSet;

use frontdesk_db::Store;
use frontdesk_files::{FilePlaces, Place};
use frontdesk_inbox::media;

use super::{Check, disk};
use crate::media_files;

const NAME: &str = "files";

/// Checks the place of new files.
pub(super) async fn target(places: &FilePlaces) -> Vec<Check> {
    match places.target() {
        None => vec![Check::ok(NAME, "new files stay in the database")],
        Some(place) => {
            let mut found = vec![works(places, place).await];
            found.extend(place.directory().filter(|path| path.exists()).and_then(|path| disk::room(&path)));
            found
        }
    }
}

async fn works(places: &FilePlaces, place: &Place) -> Check {
    let checked = match places.client(&place.url) {
        Ok(client) => client.check(&media_files::probe()).await,
        Err(error) => Err(error),
    };
    let url = &place.url;
    match checked {
        Ok(()) => Check::ok(NAME, format!("{url} can be written to, read and deleted from")),
        Err(error) => Check::failed(
            NAME,
            format!(
                "{url} does not work ({error}): correct FRONTDESK_MEDIA, the rights there or the credentials"
            ),
        ),
    }
}

/// Checks the other places that have files, and the queues.
pub(super) async fn of_store(store: &Store, places: &FilePlaces) -> Vec<Check> {
    let overview = match store.scan(media::overview).await {
        Ok(overview) => overview,
        Err(error) => return vec![Check::store_failed(NAME, &error)],
    };
    let mut found = Vec::new();
    let target = places.target().map(|place| place.url.as_str());
    let urls: BTreeSet<&str> = overview.places.iter().filter_map(|place| place.url.as_deref()).collect();
    for url in urls.into_iter().filter(|url| Some(*url) != target) {
        found.push(match places.place(url) {
            Ok(Some(place)) => works(places, &place).await,
            Ok(None) => continue,
            Err(problem) => Check::failed(NAME, format!("there are files in {url}, and {problem}")),
        });
    }
    match store.read(media_files::recall).await {
        Ok(Some(now)) if now != target.unwrap_or("database") => found.push(Check::warning(
            NAME,
            format!(
                "a server was started with new files in {now}, and this environment says {}: set FRONTDESK_MEDIA to the \
                 same place everywhere",
                target.unwrap_or("database")
            ),
        )),
        Ok(_) => {}
        Err(error) => found.push(Check::store_failed(NAME, &error)),
    }
    let failing: i64 = overview.removals.iter().map(|queued| queued.failing).sum();
    if failing > 0 {
        let why = overview.removals.iter().find_map(|queued| queued.error.as_deref()).unwrap_or_default();
        found.push(Check::warning(NAME, format!("{failing} files could not be deleted yet: {why}")));
    }
    found
}
