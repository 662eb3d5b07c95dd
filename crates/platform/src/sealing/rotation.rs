//! Rotation: every sealed value is sealed again under the current key.
//!
//! It works in small transactions and looks for values that are not under the current key yet, so it can be stopped at
//! any point and run again. While it runs, values under both keys exist; a [`Keyring`] with both opens all of them.

use std::fmt::Display;

use frontdesk_db::{self as db, Column, Param, ReadTx, Store, Tx};
use frontdesk_kernel::ids::AccountId;
use uuid::Uuid;

use super::{Keyring, RowId, SealedCell, SealedColumn};
use crate::settings;

/// Values sealed again in one transaction.
const BATCH_ROWS_MAX: i64 = 100;
/// Matches no sealed value, so that every one counts as stale.
const NO_KEY: &str = "";

/// What a rotation did.
#[derive(Clone, Debug, Default)]
pub struct Resealed {
    pub values: u64,
    /// Values that no key on the ring opens. They stay as they are.
    pub unreadable: Vec<Unreadable>,
}

/// A value that no key opens.
#[derive(Clone, Debug)]
pub struct Unreadable {
    pub table: &'static str,
    pub account: AccountId,
    pub row: String,
}

/// Seals every value of these columns under the current key.
pub async fn reseal(store: &Store, keys: &Keyring, columns: &[SealedColumn]) -> db::Result<Resealed> {
    let mut all = Resealed::default();
    for column in columns {
        let done = match column.row_id {
            RowId::Uuid => reseal_column::<Uuid>(store, keys, *column).await?,
            RowId::Text => reseal_column::<String>(store, keys, *column).await?,
        };
        all.values += done.values;
        all.unreadable.extend(done.unreadable);
    }
    Ok(all)
}

/// Seals these settings under the current key.
pub fn reseal_settings(tx: &mut Tx<'_>, keys: &Keyring, names: &[&str]) -> db::Result<u64> {
    let mut values = 0;
    for name in names {
        let place = SealedCell::setting(name);
        let sealed = settings::get(tx, name)?.filter(|sealed| !sealed.is_empty() && !keys.is_current(sealed));
        if let Some(text) = sealed.and_then(|sealed| keys.open(&place, &sealed)) {
            settings::put(tx, name, &keys.seal(&place, &text))?;
            values += 1;
        }
    }
    Ok(values)
}

/// Whether the ring opens the sealed values, checked with one value of each column. None if nothing is
/// sealed.
pub fn opens_what_is_sealed(
    tx: &mut ReadTx<'_>,
    keys: &Keyring,
    columns: &[SealedColumn],
) -> db::Result<Option<bool>> {
    let mut outcome = None;
    for column in columns {
        let opens = match column.row_id {
            RowId::Uuid => first_opens::<Uuid>(tx, keys, column)?,
            RowId::Text => first_opens::<String>(tx, keys, column)?,
        };
        outcome = match (outcome, opens) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (None, opens) => opens,
            (outcome, _) => outcome,
        };
    }
    Ok(outcome)
}

/// The id of a row. Its default sorts before every other id.
trait Key: Column + Param + Display + Default + Clone + Send + 'static {}
impl Key for Uuid {}
impl Key for String {}

struct Batch<K> {
    done: Resealed,
    /// Where the next batch starts; none after the last one.
    next: Option<(Uuid, K)>,
}

async fn reseal_column<K: Key + Sync>(
    store: &Store,
    keys: &Keyring,
    column: SealedColumn,
) -> db::Result<Resealed> {
    let (mut all, mut next) = (Resealed::default(), Some((Uuid::nil(), K::default())));
    while let Some(after) = next {
        let keys = keys.clone();
        let batch = store.write(move |tx| reseal_batch(tx, &keys, &column, &after)).await?;
        all.values += batch.done.values;
        all.unreadable.extend(batch.done.unreadable);
        next = batch.next;
    }
    Ok(all)
}

fn reseal_batch<K: Key>(
    tx: &mut Tx<'_>,
    keys: &Keyring,
    column: &SealedColumn,
    after: &(Uuid, K),
) -> db::Result<Batch<K>> {
    let rows = stale(tx, column, &keys.current_pattern(), after, BATCH_ROWS_MAX)?;
    let next = rows.last().filter(|_| rows.len() as i64 == BATCH_ROWS_MAX);
    let next = next.map(|(account, row, _)| (account.uuid(), row.clone()));
    let mut done = Resealed::default();
    for (account, row, sealed) in rows {
        let place = column.at(account, row.to_string());
        match keys.open(&place, &sealed) {
            Some(text) => {
                let again = keys.seal(&place, &text);
                // A value that changed in the meantime is already sealed under the current key.
                done.values += tx.execute(column.replace, &[&account, &row, &sealed, &again])?.rows();
            }
            None => done.unreadable.push(Unreadable { table: column.table, account, row: row.to_string() }),
        }
    }
    Ok(Batch { done, next })
}

fn first_opens<K: Key>(
    tx: &mut ReadTx<'_>,
    keys: &Keyring,
    column: &SealedColumn,
) -> db::Result<Option<bool>> {
    let rows = stale(tx, column, NO_KEY, &(Uuid::nil(), K::default()), 1)?;
    let opens = |(account, row, sealed): (AccountId, K, String)| {
        keys.open(&column.at(account, row.to_string()), &sealed).is_some()
    };
    Ok(rows.into_iter().next().map(opens))
}

fn stale<K: Key>(
    tx: &mut ReadTx<'_>,
    column: &SealedColumn,
    pattern: &str,
    after: &(Uuid, K),
    rows_max: i64,
) -> db::Result<Vec<(AccountId, K, String)>> {
    let params: &[&dyn Param] = &[&pattern, &after.0, &after.1, &rows_max];
    tx.query(column.stale, params, |row| Ok((row.next()?, row.next()?, row.next()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sealing::SecretKey;
    use frontdesk_db::Options;
    use frontdesk_testdb::TestDatabase;

    const SECRET: SealedColumn = crate::sealed_column!("booking_sources", "id", "secret", Uuid);
    const INSERT: &str =
        "INSERT INTO booking_sources (account_id, id, name, token, secret) VALUES ($1, $2, '', $3, $4)";
    const ALL: &str = "SELECT id, secret FROM booking_sources ORDER BY id";

    struct Sources {
        store: Store,
        _database: TestDatabase,
    }

    impl Sources {
        fn new() -> Self {
            let database = TestDatabase::sqlite();
            let store = Store::open(&Options::new(database.url().parse().unwrap())).unwrap();
            Self { store, _database: database }
        }

        async fn add(&self, row: u128, sealed: String) {
            let (row, token) = (Uuid::from_u128(row), row.to_string());
            let insert = self.store.write(move |tx| tx.execute(INSERT, &[&account(), &row, &token, &sealed]));
            insert.await.unwrap().exactly(1).unwrap();
        }

        async fn opened(&self, keys: &Keyring) -> Vec<Option<String>> {
            let keys = keys.clone();
            let read = self.store.read(move |tx| {
                tx.query(ALL, &[], |row| {
                    let (id, sealed): (Uuid, String) = (row.next()?, row.next()?);
                    Ok(keys.open(&SECRET.at(account(), id.to_string()), &sealed))
                })
            });
            read.await.unwrap()
        }
    }

    impl Drop for Sources {
        fn drop(&mut self) {
            self.store.close();
        }
    }

    fn account() -> AccountId {
        AccountId::from_uuid(Uuid::from_u128(7))
    }

    fn ring(text: &str) -> Keyring {
        Keyring::new(SecretKey::from_any_text(text))
    }

    #[tokio::test]
    async fn every_value_is_sealed_again_whatever_it_was_sealed_as() {
        const ROWS: u128 = 2 * BATCH_ROWS_MAX as u128 + 50;
        let (sources, old, new) = (Sources::new(), ring("old"), ring("new"));
        let both = old.renewed(SecretKey::from_any_text("new"));
        for row in 0..ROWS {
            let place = SECRET.at(account(), Uuid::from_u128(row).to_string());
            let text = row.to_string();
            let sealed = match row % 3 {
                0 => old.seal_unbound(&text),
                1 => old.seal(&place, &text),
                _ => both.seal(&place, &text),
            };
            sources.add(row, sealed).await;
        }
        let texts: Vec<Option<String>> = (0..ROWS).map(|row| Some(row.to_string())).collect();
        assert_eq!(sources.opened(&both).await, texts);
        let stale = (0..ROWS).filter(|row| row % 3 != 2).count() as u64;
        let done = reseal(&sources.store, &both, &[SECRET]).await.unwrap();
        assert_eq!((done.values, done.unreadable.len()), (stale, 0));
        assert_eq!(sources.opened(&new).await, texts, "the new key alone opens everything");
        assert_eq!(reseal(&sources.store, &both, &[SECRET]).await.unwrap().values, 0);
    }

    #[tokio::test]
    async fn a_value_that_no_key_opens_is_reported_and_left_alone() {
        let (sources, keys) = (Sources::new(), ring("key"));
        let judge = |keys: Keyring| {
            let store = &sources.store;
            async move { store.read(move |tx| opens_what_is_sealed(tx, &keys, &[SECRET])).await.unwrap() }
        };
        assert_eq!(judge(keys.clone()).await, None);
        let elsewhere = SECRET.at(account(), Uuid::from_u128(2).to_string());
        let foreign = keys.seal(&elsewhere, "of another row");
        sources.add(1, foreign).await;
        assert_eq!(judge(keys.clone()).await, Some(false));
        let both = keys.renewed(SecretKey::from_any_text("new"));
        let done = reseal(&sources.store, &both, &[SECRET]).await.unwrap();
        assert_eq!(done.values, 0);
        assert_eq!(done.unreadable[0].row, Uuid::from_u128(1).to_string());
        sources.add(0, keys.seal_unbound("old")).await;
        assert_eq!(judge(keys).await, Some(true));
        assert_eq!(judge(ring("another")).await, Some(false));
    }
}
