//! Prepared statements of a connection.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::{Connection, PrepFlags, Result, Statement};

/// Maximum prepared statements of a connection.
pub(super) const KEPT_MAX: usize = 256;
/// Maximum converted texts of a thread. Lists have many texts, by their filters.
const TEXTS_KEPT_MAX: usize = 512;

/// Prepares and caches statements.
pub(crate) trait Statements {
    /// Runs a closure with a prepared statement.
    fn with(&self, sql: &str, run: &mut dyn FnMut(&mut Statement<'_>)) -> Result<()>;

    /// Checks that SQLite accepts a statement.
    fn check(&self, sql: &str) -> Result<()>;
}

/// A connection that threads use in turn.
impl Statements for Connection {
    fn with(&self, sql: &str, run: &mut dyn FnMut(&mut Statement<'_>)) -> Result<()> {
        run(&mut *self.prepare_cached(&numbered(sql))?);
        Ok(())
    }

    fn check(&self, sql: &str) -> Result<()> {
        self.prepare(&numbered(sql)).map(|_| ())
    }
}

/// The statements of a connection that belongs to one thread. They need not be taken out and put back.
pub(crate) struct Prepared<'c> {
    connection: &'c Connection,
    kept: RefCell<Kept<'c>>,
}

#[derive(Default)]
struct Kept<'c> {
    statements: Vec<(Rc<str>, Statement<'c>)>,
    by_text: HashMap<Rc<str>, usize>,
    /// By the address of the text. Most statements are constants, and comparing a text is faster than hashing
    /// it.
    by_address: HashMap<usize, usize>,
}

impl Kept<'_> {
    fn place(&mut self, sql: &str) -> Option<usize> {
        let at = sql.as_ptr().addr();
        // A built text is dropped after its use, and another one may have its address.
        if let Some(place) = self.by_address.get(&at)
            && *self.statements[*place].0 == *sql
        {
            return Some(*place);
        }
        let place = *self.by_text.get(sql)?;
        if self.by_address.len() >= TEXTS_KEPT_MAX {
            self.by_address.clear();
        }
        self.by_address.insert(at, place);
        Some(place)
    }
}

impl<'c> Prepared<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection, kept: RefCell::default() }
    }
}

impl Statements for Prepared<'_> {
    fn with(&self, sql: &str, run: &mut dyn FnMut(&mut Statement<'_>)) -> Result<()> {
        let mut kept = self.kept.borrow_mut();
        if let Some(place) = kept.place(sql) {
            run(&mut kept.statements[place].1);
            return Ok(());
        }
        if kept.statements.len() >= KEPT_MAX {
            *kept = Kept::default();
        }
        // Persistent: it does not use the memory that SQLite reserves for short-lived statements.
        let mut statement =
            self.connection.prepare_with_flags(&number(sql), PrepFlags::SQLITE_PREPARE_PERSISTENT)?;
        run(&mut statement);
        let (text, place): (Rc<str>, usize) = (sql.into(), kept.statements.len());
        kept.statements.push((text.clone(), statement));
        kept.by_text.insert(text, place);
        Ok(())
    }

    fn check(&self, sql: &str) -> Result<()> {
        self.connection.check(sql)
    }
}

thread_local! {
    /// By the address of the statement's text: most statements are constants.
    static NUMBERED: RefCell<HashMap<usize, Numbered>> = RefCell::default();
}

struct Numbered {
    of: Box<str>,
    text: Rc<str>,
}

/// A statement with SQLite's placeholders. The text is converted once per thread, because that takes longer
/// than a short statement.
fn numbered(sql: &str) -> Rc<str> {
    NUMBERED.with_borrow_mut(|known| {
        let at = sql.as_ptr().addr();
        // A built text is dropped after its use, and another one may have its address.
        if let Some(found) = known.get(&at).filter(|found| *found.of == *sql) {
            return found.text.clone();
        }
        if known.len() >= TEXTS_KEPT_MAX {
            known.clear();
        }
        let text: Rc<str> = number(sql).into();
        known.insert(at, Numbered { of: sql.into(), text: text.clone() });
        text
    })
}

/// To SQLite, `$1` is a *named* parameter, numbered by its first occurrence; `?1` is the first.
fn number(sql: &str) -> String {
    let mut bytes = sql.as_bytes().to_vec();
    for at in 1..bytes.len() {
        if bytes[at - 1] == b'$' && bytes[at].is_ascii_digit() {
            bytes[at - 1] = b'?';
        }
    }
    String::from_utf8(bytes).expect("one character of one byte took the place of another")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_keep_their_numbers() {
        for _ in 0..2 {
            assert_eq!(&*numbered("a = $2 AND b = $1 AND c = $10"), "a = ?2 AND b = ?1 AND c = ?10");
            assert_eq!(&*numbered("'$.x'"), "'$.x'");
        }
    }

    #[test]
    fn a_text_in_the_place_of_another_is_not_taken_for_it() {
        let mut text = String::from("SELECT $1, 1");
        assert_eq!(&*numbered(&text), "SELECT ?1, 1");
        text.replace_range(11.., "2");
        assert_eq!(&*numbered(&text), "SELECT ?1, 2");
    }

    #[test]
    fn a_thread_keeps_so_many_texts_and_no_more() {
        let texts: Vec<String> = (0..TEXTS_KEPT_MAX * 2).map(|n| format!("SELECT {n}, $1")).collect();
        for text in &texts {
            assert_eq!(*numbered(text), text.replace('$', "?"));
            assert!(NUMBERED.with_borrow(|known| known.len() <= TEXTS_KEPT_MAX));
        }
    }

    #[test]
    fn a_statement_is_prepared_once_and_no_more_than_so_many_are_kept() {
        let connection = Connection::open_in_memory().unwrap();
        let prepared = Prepared::new(&connection);
        let one = |sql: &str| {
            let mut found = Ok(0);
            prepared.with(sql, &mut |statement| found = statement.query_row([], |row| row.get(0))).unwrap();
            found.unwrap()
        };
        for n in 0..KEPT_MAX as i64 * 2 {
            for _ in 0..2 {
                assert_eq!(one(&format!("SELECT {n}")), n);
            }
            assert_eq!(prepared.kept.borrow().statements.len(), n as usize % KEPT_MAX + 1);
        }
        assert!(prepared.kept.borrow().by_address.len() <= TEXTS_KEPT_MAX);
        assert!(prepared.with("SELEKT", &mut |_| unreachable!()).is_err());
        let mut text = String::from("SELECT 11");
        assert_eq!(one(&text), 11);
        text.replace_range(7.., "12");
        assert_eq!(one(&text), 12);
    }
}
