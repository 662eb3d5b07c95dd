//! Migrations: forward only, one text for both engines, applied at start.
//!
//! The files use PostgreSQL's types. For SQLite the column types are translated, and every table is strict
//! and clustered by its primary key. Lines between `-- @sqlite` or `-- @postgres` and `-- @both` are for that
//! engine alone. `-- @step`, `-- @batch` and `-- @index` split a file into steps, each of which commits and
//! is recorded separately, so an interrupted migration resumes at its last step.

mod postgres;
mod sqlite;
mod steps;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::postgres::Session;
use crate::row::{Row, only};
use crate::sqlite::Connection;
use crate::url::DatabaseUrl;

/// A version and its text.
type Migration = (i64, &'static str);

const MIGRATIONS: &[Migration] = &[
    (1, include_str!("../migrations/0001_platform.sql")),
    (2, include_str!("../migrations/0002_contacts.sql")),
    (3, include_str!("../migrations/0003_webhooks.sql")),
    (4, include_str!("../migrations/0004_inbox.sql")),
    (5, include_str!("../migrations/0005_deals.sql")),
    (6, include_str!("../migrations/0006_search.sql")),
    (7, include_str!("../migrations/0007_search.sql")),
    (8, include_str!("../migrations/0008_search.sql")),
    (10, include_str!("../migrations/0010_account_numbers.sql")),
    (11, include_str!("../migrations/0011_event_order.sql")),
    (12, include_str!("../migrations/0012_statuses.sql")),
    (14, include_str!("../migrations/0014_erasing.sql")),
    (20, include_str!("../migrations/0020_servers.sql")),
    (21, include_str!("../migrations/0021_jobs.sql")),
    (22, include_str!("../migrations/0022_turns.sql")),
    (23, include_str!("../migrations/0023_broadcasts.sql")),
    (24, include_str!("../migrations/0024_agent.sql")),
    (25, include_str!("../migrations/0025_transcripts.sql")),
    (26, include_str!("../migrations/0026_triggers.sql")),
    (27, include_str!("../migrations/0027_desk.sql")),
    (28, include_str!("../migrations/0028_sign_in.sql")),
    (35, include_str!("../migrations/0035_run_versions.sql")),
    (37, include_str!("../migrations/0037_message_search.sql")),
    (47, include_str!("../migrations/0047_uploads.sql")),
    (55, include_str!("../migrations/0055_trigger_calls.sql")),
    (56, include_str!("../migrations/0056_canned_reply_files.sql")),
    (65, include_str!("../migrations/0065_run_indexes.sql")),
    (66, include_str!("../migrations/0066_labels.sql")),
    (69, include_str!("../migrations/0069_upload_bytes.sql")),
    (71, include_str!("../migrations/0071_unconfined_tools.sql")),
    (72, include_str!("../migrations/0072_follow_ups.sql")),
    (73, include_str!("../migrations/0073_operator_limits.sql")),
    (74, include_str!("../migrations/0074_server_beats.sql")),
    (77, include_str!("../migrations/0077_media_lanes.sql")),
    (79, include_str!("../migrations/0079_suspensions.sql")),
    (80, include_str!("../migrations/0080_faults.sql")),
    (81, include_str!("../migrations/0081_message_forgets.sql")),
    (82, include_str!("../migrations/0082_account_countries.sql")),
    (83, include_str!("../migrations/0083_assistant_versions.sql")),
    (84, include_str!("../migrations/0084_inbox_views.sql")),
    (85, include_str!("../migrations/0085_key_uses.sql")),
    (88, include_str!("../migrations/0088_link_authors.sql")),
    (89, include_str!("../migrations/0089_widgets.sql")),
    (90, include_str!("../migrations/0090_delivery_attempts.sql")),
    (91, include_str!("../migrations/0091_trigger_calls.sql")),
    (93, include_str!("../migrations/0093_webhook_verified.sql")),
    (95, include_str!("../migrations/0095_form_fields.sql")),
    (96, include_str!("../migrations/0096_brands.sql")),
    (100, include_str!("../migrations/0100_push.sql")),
    (102, include_str!("../migrations/0102_contact_order.sql")),
    (104, include_str!("../migrations/0104_held_accounts.sql")),
    (105, include_str!("../migrations/0105_deal_changes.sql")),
    (106, include_str!("../migrations/0106_visited_pages.sql")),
    (110, include_str!("../migrations/0110_server_reports.sql")),
    (115, include_str!("../migrations/0115_copies.sql")),
    (116, include_str!("../migrations/0116_account_deletions.sql")),
    (120, include_str!("../migrations/0120_mails.sql")),
    (125, include_str!("../migrations/0125_account_positions.sql")),
    (135, include_str!("../migrations/0135_media_places.sql")),
    (140, include_str!("../migrations/0140_contact_order_keys.sql")),
    (141, include_str!("../migrations/0141_login_identities.sql")),
    (155, include_str!("../migrations/0155_imported_rows.sql")),
];

const VERSIONS_TABLE: &str = "CREATE TABLE IF NOT EXISTS migrations (version bigint NOT NULL PRIMARY KEY)";
const APPLIED: &str = "SELECT version FROM migrations ORDER BY version";
/// The progress of the current migration.
const PROGRESS_TABLE: &str = "CREATE TABLE IF NOT EXISTS migration_progress
    (version bigint NOT NULL PRIMARY KEY, steps bigint NOT NULL, reached text)";

pub(crate) fn migrate_sqlite(connection: &Connection) -> Result<()> {
    sqlite::migrate(connection, MIGRATIONS)
}

/// Whether a database has every migration of this program. It may have newer ones.
pub(crate) fn is_current_postgres(session: &mut Session) -> Result<bool> {
    match pending(MIGRATIONS, &postgres::applied(session)?) {
        Ok(pending) => Ok(pending.is_empty()),
        Err(Error::TooNew { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether the database has any of our tables.
pub(crate) fn has_tables(session: &mut Session) -> Result<bool> {
    let found = session.query("SELECT to_regclass('migrations') IS NOT NULL", &[], only)?;
    Ok(found.into_iter().next().unwrap_or(false))
}

pub(crate) fn migrate_postgres(session: &mut Session) -> Result<()> {
    postgres::migrate(session, MIGRATIONS)
}

/// All migrations of this program.
pub(crate) fn known() -> Vec<i64> {
    MIGRATIONS.iter().map(|(version, _)| *version).collect()
}

/// The migrations that a database has.
pub(crate) fn applied_sqlite(connection: &Connection) -> Result<Vec<i64>> {
    sqlite::applied(connection)
}

pub(crate) fn applied_postgres(session: &mut Session) -> Result<Vec<i64>> {
    postgres::applied(session)
}

/// Applies only these migrations, for rows of a database that had no others.
pub(crate) fn migrate_sqlite_to(connection: &Connection, versions: &[i64]) -> Result<()> {
    sqlite::migrate(connection, &those(versions))
}

pub(crate) fn migrate_postgres_to(session: &mut Session, versions: &[i64]) -> Result<()> {
    postgres::migrate(session, &those(versions))
}

fn those(versions: &[i64]) -> Vec<Migration> {
    MIGRATIONS.iter().copied().filter(|(version, _)| versions.contains(version)).collect()
}

/// Fails if this program does not know one of these migrations.
pub(crate) fn check_known(versions: &[i64]) -> Result<()> {
    check_known_by(MIGRATIONS, versions)
}

/// A migration may be newer than others with higher numbers, so each is looked up.
fn check_known_by(migrations: &[Migration], versions: &[i64]) -> Result<()> {
    let known = migrations.last().map_or(0, |(version, _)| *version);
    match versions.iter().rev().find(|version| migrations.iter().all(|(known, _)| known != *version)) {
        Some(&found) => Err(Error::TooNew { found, known }),
        None => Ok(()),
    }
}

/// The migrations of this program that a database does not have yet. Changes nothing.
pub fn pending_migrations(url: &DatabaseUrl) -> Result<Vec<i64>> {
    let applied = match url {
        DatabaseUrl::Sqlite(path) => sqlite::applied(&Connection::look_at(path)?)?,
        DatabaseUrl::Postgres(url) => postgres::applied(&mut Session::connect(url)?)?,
    };
    Ok(pending(MIGRATIONS, &applied)?.into_iter().map(|(version, _)| version).collect())
}

/// The migrations that a database does not have yet. A database of a newer program is refused.
fn pending(migrations: &[Migration], applied: &[i64]) -> Result<Vec<Migration>> {
    check_known_by(migrations, applied)?;
    Ok(migrations.iter().copied().filter(|(version, _)| !applied.contains(version)).collect())
}

/// The number of completed steps of a migration, and the position of the next step's batches.
#[derive(Default)]
struct Progress {
    steps: usize,
    cursor: Option<String>,
}

impl Progress {
    const FIND: &str = "SELECT steps, reached FROM migration_progress WHERE version = $1";
    const PUT: &str = "INSERT INTO migration_progress (version, steps, reached) VALUES ($1, $2, $3)
        ON CONFLICT (version) DO UPDATE SET steps = excluded.steps, reached = excluded.reached";

    fn read(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { steps: row.next::<i64>()? as usize, cursor: row.next()? })
    }

    /// A statement that records a step as completed.
    fn done(version: i64, at: usize) -> String {
        format!(
            "INSERT INTO migration_progress (version, steps) VALUES ({version}, {steps})
             ON CONFLICT (version) DO UPDATE SET steps = {steps}, reached = NULL",
            steps = at + 1
        )
    }
}
