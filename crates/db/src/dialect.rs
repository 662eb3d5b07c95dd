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

impl Dialect {
    /// Whether search indexes are side files. Otherwise rows have columns that are searched.
    pub fn has_side_files(self) -> bool {
        self == Self::Sqlite
    }
}
