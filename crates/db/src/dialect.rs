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
    /// Text in lower case, the same on both engines for every letter, not only for ASCII.
    pub fn fold(self, expression: &str) -> String {
        match self {
            Self::Sqlite => format!("fold({expression})"),
            Self::Postgres => format!("lower({expression} COLLATE \"und-x-icu\")"),
        }
    }

    /// Text compared byte by byte, as SQLite always does.
    pub fn bytewise(self, expression: &str) -> String {
        match self {
            Self::Sqlite => expression.to_owned(),
            Self::Postgres => format!("({expression} COLLATE \"C\")"),
        }
    }
}
