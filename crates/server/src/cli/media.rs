//! `frontdesk media`: where files are, and how they are moved.

mod mover;

use clap::Subcommand;
use frontdesk_db as db;
use frontdesk_inbox::media::{self, Overview};
use serde_json::json;

use self::mover::MoveOptions;
use super::print;
use super::progress::size;
use crate::error::Result;
use crate::installation::Installation;
use crate::media_files;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Show how many files are where, and which are to be moved or deleted
    Status,
    /// Move all files to another place while servers run; safe to interrupt and run again
    #[command(after_help = "\
Every file is copied, read back and compared before its row changes; then the old copy is deleted. Links go on working.
Set FRONTDESK_MEDIA to the same place on every server first, and restart them, so that new files go there too.")]
    Move(MoveOptions),
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Status => status(installation),
            Self::Move(options) => options.run(installation),
        }
    }
}

fn status(installation: &Installation) -> Result<()> {
    let (overview, new_files) =
        installation.look(|tx| Ok::<_, db::Error>((media::overview(tx)?, media_files::recall(tx)?)))?;
    let new_files = new_files.unwrap_or_else(|| "database".to_owned());
    let response = json!({
        "new_files": new_files, "places": overview.places, "waiting_to_move": overview.waiting_to_move,
        "removals": overview.removals,
    });
    print::output(installation.json, &response, || in_words(&overview, &new_files))
}

fn in_words(overview: &Overview, new_files: &str) -> String {
    let mut lines = vec![format!("New files go to {new_files}.")];
    if overview.places.is_empty() {
        lines.push("There are no files.".to_owned());
    }
    for place in &overview.places {
        let at = place.url.as_deref().unwrap_or(&place.place);
        lines.push(format!("{:>10} files, {:>10}  {at}", place.files, size(place.bytes as u64)));
    }
    if overview.waiting_to_move > 0 {
        lines
            .push(format!("{:>10} new files wait to be moved out of the database", overview.waiting_to_move));
    }
    for queued in &overview.removals {
        let what = match queued.reason.as_str() {
            "unfinished" => "are being written, or were when their writer ended; deleted",
            "moved" => "were moved; their old copies are deleted",
            _ => "are deleted",
        };
        let mut line = format!(
            "{:>10} files {what} from {} from {} on",
            queued.files, queued.place, queued.first_due_at
        );
        if let Some(error) = queued.error.as_ref().filter(|_| queued.failing > 0) {
            line = format!("{line}; {} could not be deleted yet: {error}", queued.failing);
        }
        lines.push(line);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_inbox::media::{FilesInPlace, QueuedRemovals};
    use frontdesk_kernel::Timestamp;

    #[test]
    fn a_status_names_places_and_what_waits() {
        let overview = Overview {
            places: vec![FilesInPlace {
                place: "directory-1".to_owned(),
                url: Some("file:///srv/media".to_owned()),
                files: 12,
                bytes: 3_400_000,
            }],
            waiting_to_move: 2,
            removals: vec![QueuedRemovals {
                place: "directory-1".to_owned(),
                reason: "deleted".to_owned(),
                files: 3,
                failing: 1,
                first_due_at: Timestamp::from_millis(1_800_000_000_000),
                error: Some("it is read-only".to_owned()),
            }],
        };
        let text = in_words(&overview, "file:///srv/media");
        for part in
            ["12 files", "3400 KB", "file:///srv/media", "2 new files", "3 files are deleted", "read-only"]
        {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}
