//! Several rows with one insert. A separate statement for each row would search every index from its root;
//! rows that share a statement and come in the order of an index are appended to it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

/// How many rows share a statement: the largest number that fits first.
const ROWS: [usize; 3] = [64, 8, 1];

thread_local! {
    /// By the address of the statement for one row, which is a constant, and the number of rows.
    static TEXTS: RefCell<HashMap<(usize, usize), Rc<str>>> = RefCell::default();
}

/// The largest number of rows that share a statement when this many are left.
pub(crate) fn at_once(left: usize) -> usize {
    ROWS.into_iter().find(|rows| *rows <= left).unwrap_or(1)
}

/// The insert of one row, for several. The insert ends in `VALUES (…)`, with each of its parameters once.
pub(crate) fn insert(one: &'static str, rows: usize) -> Rc<str> {
    TEXTS.with_borrow_mut(|texts| {
        texts.entry((one.as_ptr().addr(), rows)).or_insert_with(|| several(one, rows).into()).clone()
    })
}

fn several(one: &str, rows: usize) -> String {
    let Some((head, values)) = one.rsplit_once("VALUES ").filter(|_| rows > 1) else { return one.to_owned() };
    let columns = values.matches('$').count();
    // On a failure the rows before it stay, and the transaction rolls them back. If the statement had to do
    // this itself, it would first copy every page that it changes.
    let mut text = head.replacen("INSERT INTO", "INSERT OR FAIL INTO", 1);
    text.push_str("VALUES ");
    for row in 0..rows {
        if row > 0 {
            text.push_str(", ");
        }
        let mut parts = values.split('$');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(part.len());
            let number: usize = part[..end].parse().expect("parameters are numbered");
            write!(text, "${}{}", row * columns + number, &part[end..]).expect("a string takes all");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "INSERT INTO t (a, b, c) VALUES ($1, 'x', $2)";

    #[test]
    fn rows_share_a_statement_and_each_has_its_own_parameters() {
        assert_eq!(
            &*insert(ONE, 3),
            "INSERT OR FAIL INTO t (a, b, c) VALUES ($1, 'x', $2), ($3, 'x', $4), ($5, 'x', $6)"
        );
        assert_eq!(&*insert(ONE, 1), ONE);
    }

    #[test]
    fn few_statements_take_all_rows() {
        let mut left = 150;
        let mut taken = Vec::new();
        while left > 0 {
            taken.push(at_once(left));
            left -= at_once(left);
        }
        assert_eq!(taken, [64, 64, 8, 8, 1, 1, 1, 1, 1, 1]);
    }
}
