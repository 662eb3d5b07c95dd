//! The declaration of a slice's statements.

/// Declares a slice's statements: one constant each, and the list `STATEMENTS`, which `frontdesk doctor` and
/// the tests prepare on every engine.
#[macro_export]
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)+) => {
        $($(#[$doc])* pub(crate) const $name: &str = $sql;)+
        pub const STATEMENTS: &[(&str, &str)] = &[$((stringify!($name), $name)),+];
    };
}

pub(crate) use statements;
