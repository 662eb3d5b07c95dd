//! The SQL that differs between the two engines.

/// A statement that each engine has in its own words.
#[derive(Clone, Copy, Debug)]
pub struct EngineSql {
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

/// Which engine a transaction runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

/// Letters that are sorted as others, as dictionaries in German do. Programs with a SQLite before 3.46 cannot open a database
/// whose expressions are nested deeper than about thirty times, so these are not more.
#[rustfmt::skip]
const SORTED_AS: &[(&str, &str)] = &[
    ("Ä", "a"), ("ä", "a"), ("Ö", "o"), ("ö", "o"), ("Ü", "u"), ("ü", "u"), ("ß", "ss"), ("É", "e"), ("é", "e"), ("È", "e"),
    ("è", "e"), ("Á", "a"), ("á", "a"), ("Ó", "o"), ("ó", "o"), ("Å", "a"), ("å", "a"), ("Ø", "o"), ("ø", "o"), ("ç", "c"),
];
/// Characters of a text that decide its place.
const SORTED_CHARS: usize = 60;

impl Dialect {
    /// Whether search indexes are side files. Otherwise rows have columns that are searched.
    pub fn has_side_files(self) -> bool {
        self == Self::Sqlite
    }

    /// The text by which a column is sorted, as SQL: letters of ASCII and of [`SORTED_AS`] without their case and their
    /// marks, then the bytes; empty where there is none. Both engines compute the same with their own functions alone, so that any program which
    /// opens the database can write an index on it.
    pub(crate) fn alphabetic(self, column: &str) -> String {
        let plain = SORTED_AS.iter().fold(column.to_owned(), |inner, (letter, plain)| {
            format!("replace({inner}, '{letter}', '{plain}')")
        });
        // In this collation, PostgreSQL changes the case of ASCII alone, as SQLite does.
        let collation = match self {
            Self::Sqlite => "",
            Self::Postgres => " COLLATE \"C\"",
        };
        format!("coalesce(substr(lower({plain}{collation}), 1, {SORTED_CHARS}), '')")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index serves only the very expression that it was made for.
    #[test]
    fn the_indexes_of_contacts_have_the_expression_of_the_queries() {
        let migration = include_str!("../migrations/0102_contact_order.sql");
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            for column in ["name", "company"] {
                let index = format!("ON contacts (account_id, {}, id);", dialect.alphabetic(column));
                assert!(migration.contains(&index), "{dialect:?} {column}");
            }
        }
    }
}
