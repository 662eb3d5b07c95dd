//! Questions to a person at a terminal.

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal, Write};
use std::str::FromStr;

/// Whether a person can be asked: both what they type and what they read is a terminal.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Tells something on standard error, which may be closed.
pub(super) fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Asks at the terminal. The question is written to standard error, so that standard output has only results.
pub(super) fn ask<T: FromStr<Err: Display>>(question: &str) -> io::Result<Option<T>> {
    ask_on(question, &mut io::stdin().lock(), &mut io::stderr().lock())
}

/// Asks until the answer can be read. An empty answer is none.
fn ask_on<T: FromStr<Err: Display>>(
    question: &str,
    answers: &mut impl BufRead,
    questions: &mut impl Write,
) -> io::Result<Option<T>> {
    loop {
        write!(questions, "{question} ")?;
        questions.flush()?;
        let mut answer = String::new();
        if answers.read_line(&mut answer)? == 0 || answer.trim().is_empty() {
            return Ok(None);
        }
        match answer.trim().parse() {
            Ok(read) => return Ok(Some(read)),
            Err(wrong) => writeln!(questions, "It {wrong}.")?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_kernel::Email;

    fn asked(answers: &str) -> (Option<Email>, String) {
        let mut written = Vec::new();
        let read = ask_on("Email:", &mut answers.as_bytes(), &mut written).unwrap();
        (read, String::from_utf8(written).unwrap())
    }

    #[test]
    fn a_wrong_answer_is_asked_for_again_and_an_empty_one_is_none() {
        let (read, written) = asked("ann\n ann@example.com \n");
        assert_eq!(read.unwrap().as_str(), "ann@example.com");
        assert_eq!(written, "Email: It must be an email address such as ann@example.com.\nEmail: ");
        assert_eq!(asked("\n").0, None);
        assert_eq!(asked("").0, None);
    }
}
