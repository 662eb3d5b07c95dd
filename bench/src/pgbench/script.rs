//! How a script is built: the product's statements with an expression in place of each parameter.

use std::fmt::Write as _;

/// The id that the last [`NEXT_ID`] computed.
pub(super) const ID: &str =
    "(lpad(to_hex(:high::bigint), 16, '0') || '8' || lpad(to_hex(:random::bigint), 15, '0'))::uuid";
pub(super) const NEXT_ID: &str = "\\set i :i + 1
     \\set random random(0, 1152921504606846975)
     \\set place :first + :i * :clients + :client_id
     \\set high ((:place >> 12) << 16) | 28672 | (:place & 4095)";

/// Joins statements, each ended by a semicolon.
pub(super) fn ended<'s>(statements: impl IntoIterator<Item = &'s str>) -> String {
    statements.into_iter().fold(String::new(), |mut script, statement| {
        let _ = writeln!(script, "{statement};");
        script
    })
}

/// An array of constants, which the planner folds into one constant.
pub(super) fn array(items: impl Iterator<Item = String>, kind: &str) -> String {
    let quoted: Vec<String> = items.map(|item| format!("E'{}'", escaped(&item))).collect();
    format!("ARRAY[{}]::{kind}[]", quoted.join(", "))
}

/// Escapes text for `E'…'`. A colon would name a variable, and a semicolon would end the statement.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if c.is_ascii_control() || matches!(c, ':' | ';') => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Replaces each `$1`, `$2` and so on in a statement with an expression.
pub(super) fn filled(statement: &str, values: &[&str]) -> String {
    let mut parts = statement.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let at: usize = part[..digits].parse().expect("a numbered parameter");
        let _ = write!(out, "{}{}", values[at - 1], &part[digits..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements;

    #[test]
    fn parameters_become_expressions() {
        let all: Vec<String> = (1..=15).map(|at| format!(":v{at}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(filled("($1, $11::bigint) = $2", &all), "(:v1, :v11::bigint) = :v2");
        let contact = filled(statements::insert_contact(), &all);
        assert!(contact.contains(":v15") && !contact.contains('$'), "{contact}");
    }

    #[test]
    fn constants_hold_nothing_that_pgbench_would_read() {
        assert_eq!(escaped("O'B\\:\u{1}\n;é"), "O\\'B\\\\\\x3a\\x01\\x0a\\x3bé");
        assert_eq!(array(["a".to_owned(), "b".to_owned()].into_iter(), "text"), "ARRAY[E'a', E'b']::text[]");
    }
}
