//! A PostgreSQL database of another program, which is only read.
//!
//! The session is made read-only before its first statement, and each statement runs in a read-only transaction, so nothing
//! is written there whatever is asked. Each page is a transaction of its own: a long import holds no snapshot that would
//! keep the other program's vacuum from its work.

use crate::error::{Error, Result};
use crate::postgres::Session;
use crate::row::{Row, only};
use crate::url::DatabaseUrl;
use crate::value::Param;

/// No statement waits longer for a lock.
const LOCK_MILLIS_MAX: u32 = 10_000;

const HAS_COLUMN: &str = "SELECT count(*) FROM information_schema.columns
    WHERE table_schema = ANY (current_schemas(false)) AND table_name = $1::text AND column_name = $2::text";

/// A connection to another program's database.
pub struct OtherDatabase {
    session: Box<Session>,
}

impl OtherDatabase {
    /// Connects. Blocks.
    pub fn open(url: &DatabaseUrl) -> Result<Self> {
        let DatabaseUrl::Postgres(url) = url else {
            return Err(Error::Unavailable(
                "only a PostgreSQL database of another program can be read".to_owned(),
            ));
        };
        let mut session = Session::connect(url)?;
        session.batch("SET default_transaction_read_only = on")?;
        // A slow disk or network at the other end must not end a statement.
        session.lift_limits(LOCK_MILLIS_MAX)?;
        Ok(Self { session: Box::new(session) })
    }

    /// Rows of one statement, which sees one snapshot. Blocks.
    pub fn query<T>(
        &mut self,
        sql: &str,
        params: &[&dyn Param],
        map: impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.session.begin_read();
        let found = self.session.query(sql, params, map);
        self.session.end_read();
        let found = found?;
        self.session.settle();
        Ok(found)
    }

    /// Whether there is a table with this column.
    pub fn has_column(&mut self, table: &str, column: &str) -> Result<bool> {
        Ok(self.query(HAS_COLUMN, &[&table, &column], only::<i64>)?.first().is_some_and(|count| *count > 0))
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_testdb::PostgresDatabase;

    use super::*;

    #[test]
    fn another_programs_database_is_read_and_never_written() {
        let database = PostgresDatabase::create();
        let url: DatabaseUrl = database.unencrypted_url().parse().unwrap();
        let DatabaseUrl::Postgres(text) = &url else { panic!("{url:?}") };
        let mut session = Session::connect(text).unwrap();
        session.batch("CREATE TABLE people (id serial PRIMARY KEY, name varchar)").unwrap();
        session.batch("INSERT INTO people (name) VALUES ('Ann')").unwrap();
        let mut other = OtherDatabase::open(&url).unwrap();
        for wrong in
            ["INSERT INTO people (name) VALUES ('Bob') RETURNING name", "DELETE FROM people RETURNING name"]
        {
            let refused = other.query(wrong, &[], only::<String>);
            assert!(refused.is_err_and(|error| error.to_string().contains("read-only")), "{wrong}");
        }
        let names = other.query("SELECT name FROM people WHERE id > $1::bigint", &[&0_i64], only::<String>);
        assert_eq!(names.unwrap(), ["Ann"]);
        assert!(other.has_column("people", "name").unwrap() && !other.has_column("people", "age").unwrap());
        assert!(OtherDatabase::open(&"sqlite:x.db".parse().unwrap()).is_err());
    }
}
