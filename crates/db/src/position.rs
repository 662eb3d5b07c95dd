//! Positions: how far a read replica must have come to have an account's last change.
//!
//! A position is a place in the write-ahead log of one epoch. The transaction that changes an account is followed, in the
//! same round trip, by a statement that records the place after its commit. It has run before the caller is told of the
//! commit, so whichever server reads next finds it. The rows are in an unlogged table, which costs no synchronous commit.
//!
//! Places of two timelines do not compare. An epoch is a random name in a replicated row: a replica that does not have it
//! follows another primary, or none. A crash or a promotion empties the table of positions, and then a server begins a new
//! epoch, with a place that holds for all accounts.

/// The account whose row holds for all accounts.
macro_rules! all_accounts {
    () => {
        "'00000000-0000-0000-0000-000000000000'::uuid"
    };
}
/// The setting with the epoch.
macro_rules! epoch {
    () => {
        "'replica_epoch'"
    };
}
/// Where the write-ahead log ends: after every commit that the session knows of.
macro_rules! written {
    () => {
        "(pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint"
    };
}

/// What a replica must have before an account's read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) epoch: String,
    pub(crate) place: i64,
}

/// Records the place after a commit that changed an account.
pub(crate) const RECORD: &str = concat!(
    "INSERT INTO account_positions (account_id, position) VALUES ($1, ",
    written!(),
    ") ON CONFLICT (account_id) DO UPDATE SET position = greatest(account_positions.position, excluded.position)"
);
/// Finds an account's position: the epoch, and the place. No row if nothing is known.
pub(crate) const FIND: &str = concat!(
    "SELECT e.value, greatest(every.position, own.position) FROM settings e JOIN account_positions every ON every.account_id = ",
    all_accounts!(),
    " LEFT JOIN account_positions own ON own.account_id = $1 WHERE e.name = ",
    epoch!()
);
/// The epoch of a database.
pub(crate) const EPOCH: &str = concat!("SELECT value FROM settings WHERE name = ", epoch!());
/// Begins an epoch.
pub(crate) const BEGIN_EPOCH: &str = concat!(
    "INSERT INTO settings (name, value) VALUES (",
    epoch!(),
    ", $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
);
/// Records what was written before an epoch began.
pub(crate) const BEGIN_POSITIONS: &str = concat!(
    "INSERT INTO account_positions (account_id, position) VALUES (",
    all_accounts!(),
    ", ",
    written!(),
    ") ON CONFLICT (account_id) DO UPDATE SET position = excluded.position"
);
/// Asks a replica how far it has come: whether it is a standby, its place, its epoch, and for how many seconds it has replayed
/// nothing of what it has not received or not replayed.
pub(crate) const REPLAYED: &str = concat!(
    "SELECT pg_is_in_recovery(), (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0'::pg_lsn)::bigint, ",
    "(SELECT value FROM settings WHERE name = ",
    epoch!(),
    "), CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver) THEN 0 ",
    "ELSE greatest(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0) END::double precision"
);
