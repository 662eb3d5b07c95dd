//! Copies between all engines, with rows in every table, stopped at every step.

use frontdesk_db::tables::{
    COPIED_TOO, ColumnType, CopiedTable, KEPT, LEFT_OUT, StoredRow, StoredValue, TableColumn,
};
use frontdesk_db::{Options, Store};
use frontdesk_testdb::TestDatabase;

use super::*;

const ROWS: usize = 40;

fn url(database: &TestDatabase) -> DatabaseUrl {
    database.url().parse().unwrap()
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000)
}

fn uuid(number: usize) -> StoredValue {
    let bits = ((number as u128) << 90) | (0x7000 << 64) | number as u128;
    StoredValue::Bytes(Uuid::from_u128(bits).as_bytes().to_vec())
}

/// A value that is unique in its column, or none. Ids of the same number lead to each other.
fn value(table: &str, column: &TableColumn, row: usize, is_key: bool) -> StoredValue {
    // An account has one row in these.
    let is_alone = ["brands", "account_deletions"].contains(&table);
    let is_computed = search_columns::is_computed(table, &column.name);
    if is_computed || (column.is_nullable && !is_key && row.is_multiple_of(3)) {
        return StoredValue::Null;
    }
    let number = row as i64;
    match column.ty {
        ColumnType::Uuid if column.name == "account_id" && !is_alone => uuid(row % 2),
        ColumnType::Uuid => uuid(row),
        ColumnType::Bytes => {
            let mut bytes = number.to_be_bytes().to_vec();
            bytes.extend((0..row * 7).map(|at| (at * 31) as u8));
            StoredValue::Bytes(bytes)
        }
        ColumnType::Time => StoredValue::Int(1_700_000_000_123 - number * 86_400_000 * 400),
        ColumnType::Bool => StoredValue::Int(number % 2),
        // Contacts of different accounts may share a place.
        ColumnType::Int if column.name == "seq" => StoredValue::Int(number / 2 + 1),
        ColumnType::Int if column.name == "num" => StoredValue::Int(number + 1),
        ColumnType::Int if row == 1 && !is_key => StoredValue::Int(i64::MIN),
        ColumnType::Int => StoredValue::Int(number * 1_000_003 - 5),
        ColumnType::Real => StoredValue::Real(f64::from(row as u32) * 0.1),
        ColumnType::Text | ColumnType::Json => StoredValue::Text(format!(
            "{} +49 176 {} Ünal ÄÖ\u{1F600}\n\t\u{1} 'x' {row}",
            column.name,
            1_000_000 + row
        )),
    }
}

fn is_changed(table: &str, row: usize) -> bool {
    table == "deals" && row == 7
}

/// A database whose every table has rows. `changes` replaces a value.
fn fill(url: &DatabaseUrl, changes: bool) {
    let (mut target, _) = CopyTarget::open(url, Uuid::from_u128(9), "nowhere", &[]).unwrap();
    // PostgreSQL knows which columns are ids, times and booleans.
    let types = TestDatabase::postgres();
    let (types, _) = CopyTarget::open(&self::url(&types), Uuid::from_u128(9), "nowhere", &[]).unwrap();
    for table in types.tables().to_vec() {
        let columns: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        let rows: Vec<StoredRow> = (0..ROWS)
            .map(|row| {
                let values = table.columns.iter().enumerate();
                let mut values: StoredRow = values
                    .map(|(at, column)| value(&table.name, column, row, table.key.contains(&at)))
                    .collect();
                if changes && is_changed(&table.name, row) {
                    let at = columns.iter().position(|column| column == "title").unwrap();
                    values[at] = StoredValue::Text("Other".to_owned());
                }
                values
            })
            .collect();
        let reached = CopiedTable { rows: ROWS as u64, last_key: None, is_complete: true };
        let into = target.tables().iter().find(|into| into.name == table.name).unwrap().clone();
        target
            .add(&into, &columns, &rows, &reached)
            .unwrap_or_else(|error| panic!("{}: {error}", table.name));
    }
    for index in target.missing_indexes().unwrap() {
        target.make_index(&index).unwrap();
    }
    target.finish(AFTER_COPY).unwrap();
}

fn copy_all(from: &DatabaseUrl, to: &DatabaseUrl) -> Copied {
    copy(from, to, (Uuid::from_u128(rand::random()), now()), &mut |_| Ok(())).unwrap()
}

fn open(url: &DatabaseUrl) -> frontdesk_db::Result<()> {
    Store::open(&Options { pool: 1, ..Options::new(url.clone()) }).map(|store| store.close())
}

#[test]
fn a_copy_to_every_engine_and_back_has_equal_hashes_of_every_table() {
    let first = TestDatabase::sqlite();
    fill(&url(&first), false);
    let others =
        [TestDatabase::postgres(), TestDatabase::postgres(), TestDatabase::sqlite(), TestDatabase::sqlite()];
    let (mut from, mut hashes) = (url(&first), None);
    for other in &others {
        let copied = copy_all(&from, &url(other));
        assert!(copied.tables.len() > 70, "{} tables", copied.tables.len());
        for table in &copied.tables {
            assert_eq!(table.rows, ROWS as u64, "{}", table.table);
        }
        assert_eq!(copied.rows, copied.tables.len() as u64 * ROWS as u64);
        assert_eq!(*hashes.get_or_insert(copied.tables.clone()), copied.tables);
        // The source stays out of service, and the target is in it.
        let said = open(&from).unwrap_err().to_string();
        assert!(said.contains("was moved to") && said.contains("--undo"), "{said}");
        open(&url(other)).unwrap();
        from = url(other);
    }
}

/// Stops a copy after so many steps. True if it ended before.
fn stopped_after(from: &DatabaseUrl, to: &DatabaseUrl, steps: usize) -> Option<Copied> {
    let mut left = steps;
    let mut stop = |_: Step| {
        if left == 0 {
            return Err(Error::Invalid("stopped".to_owned()));
        }
        left -= 1;
        Ok(())
    };
    match copy(from, to, (Uuid::from_u128(rand::random()), now()), &mut stop) {
        Ok(copied) => Some(copied),
        Err(error) => {
            assert_eq!(error.to_string(), "stopped");
            None
        }
    }
}

#[test]
fn a_copy_that_is_stopped_at_any_step_goes_on_and_neither_side_is_served_meanwhile() {
    let source = TestDatabase::sqlite();
    fill(&url(&source), false);
    let mut from = source;
    for to in [TestDatabase::postgres(), TestDatabase::sqlite()] {
        let (mut steps, mut stops) = (0, 0);
        let copied = loop {
            if let Some(copied) = stopped_after(&url(&from), &url(&to), steps) {
                break copied;
            }
            for side in [&from, &to] {
                assert!(matches!(open(&url(side)), Err(frontdesk_db::Error::InUse(_))));
            }
            // Each run goes further than the one before, by more and more steps.
            steps += 11;
            stops += 1;
        };
        assert!(stops > 5 && copied.is_resumed);
        assert!(copied.tables.iter().all(|table| table.rows == ROWS as u64));
        open(&url(&to)).unwrap();
        from = to;
    }
}

#[test]
fn a_difference_is_an_error_with_the_table_and_the_first_key() {
    let (one, other) = (TestDatabase::sqlite(), TestDatabase::sqlite());
    fill(&url(&one), false);
    fill(&url(&other), true);
    let open = |database: &TestDatabase| Snapshot::open_to_copy(&url(database)).unwrap();
    let refused = compare::compare(open(&one), open(&other), "there", &mut |_| Ok(())).unwrap_err();
    let StoredValue::Bytes(id) = uuid(7) else { panic!("an id") };
    let said = refused.to_string();
    let id = Uuid::from_slice(&id).unwrap().to_string();
    assert!(said.contains("deals has 40 rows") && said.contains(&format!("id={id}")), "{said}");
    // Its search columns are empty, where the copy of a contact has some.
    let empty = TestDatabase::postgres();
    fill(&url(&empty), false);
    let refused = compare::compare(open(&one), open(&empty), "there", &mut |_| Ok(())).unwrap_err();
    assert!(refused.to_string().contains("contacts has 40 rows"), "{refused}");
}

#[test]
fn a_target_with_accounts_is_refused_and_the_source_stays_in_service() {
    for (one, other) in [
        (TestDatabase::sqlite(), TestDatabase::postgres()),
        (TestDatabase::postgres(), TestDatabase::sqlite()),
    ] {
        fill(&url(&one), false);
        fill(&url(&other), false);
        let said = copy(&url(&one), &url(&other), (Uuid::from_u128(1), now()), &mut |_| Ok(())).unwrap_err();
        assert!(said.to_string().contains("never overwrites"), "{said}");
        open(&url(&one)).unwrap();
        open(&url(&other)).unwrap();
        let same = copy(&url(&one), &url(&one), (Uuid::from_u128(1), now()), &mut |_| Ok(())).unwrap_err();
        assert!(same.to_string().contains("same database"), "{same}");
    }
}

#[test]
fn a_copy_has_what_a_backup_has_and_some_of_what_a_backup_leaves_out() {
    for table in COPIED_TOO {
        assert!(LEFT_OUT.iter().any(|(left_out, _)| left_out == table), "{table} is not left out of backups");
        assert!(!KEPT.contains(table), "{table} is copied twice");
    }
}

#[test]
fn an_undone_copy_is_not_continued() {
    let (from, to) = (TestDatabase::sqlite(), TestDatabase::postgres());
    fill(&url(&from), false);
    assert!(stopped_after(&url(&from), &url(&to), 20).is_none());
    assert!(undo(&url(&from)).unwrap().is_some());
    open(&url(&from)).unwrap();
    // It may have been served since.
    let said = copy(&url(&from), &url(&to), (Uuid::from_u128(1), now()), &mut |_| Ok(())).unwrap_err();
    assert!(said.to_string().contains("another copy"), "{said}");
    open(&url(&from)).unwrap();
    let said = undo(&url(&to)).unwrap_err().to_string();
    assert!(said.contains("is not complete"), "{said}");
    assert_eq!(undo(&url(&from)).unwrap(), None);
}
