//! Database URLs.

use std::path::PathBuf;
use std::str::FromStr;

/// The location of the data: `sqlite:PATH` or `postgres://…`.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    Sqlite(PathBuf),
    Postgres(String),
}

#[derive(Debug, Clone, thiserror::Error)]
#[error("a database is sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME")]
pub struct InvalidUrl;

impl FromStr for DatabaseUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            return Ok(Self::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(InvalidUrl)
    }
}

impl DatabaseUrl {
    /// The location for messages: a path, or a URL without the user, the password and the options.
    pub fn place(&self) -> String {
        match self {
            Self::Sqlite(path) => path.display().to_string(),
            Self::Postgres(url) => {
                let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
                let place = rest.split('?').next().unwrap_or_default();
                let bare = match place.rsplit_once('@') {
                    Some((_, bare)) => bare,
                    // If a password contains a question mark, the text before it may be part of the password.
                    None if rest.contains('@') => "…",
                    None => place,
                };
                format!("{scheme}://{bare}")
            }
        }
    }
}

impl std::fmt::Debug for DatabaseUrl {
    /// A URL may contain a password, so only its scheme is shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(_) => f.write_str("postgres://…"),
        }
    }
}
