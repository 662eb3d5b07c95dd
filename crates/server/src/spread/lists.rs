//! What is not spread by account, and what crosses accounts.

/// Tables with an account that every place has a copy of.
pub(super) const COPIED: &[(&str, &str)] = &[];

/// Unique keys without the account.
pub(super) const LOOSE: &[(&str, &str)] = &[];

/// Statements that cross accounts, by how they begin.
pub(super) const ACROSS: &[(&str, &str)] = &[];
