//! Paths of fields in a body.

use std::fmt::Write;

/// A longer name is cut off: a key of a map may be as long as the body, and stand in the paths of many problems.
const NAME_CHARS_MAX: usize = 128;

/// A path in a body: dotted from its root, with indexes, as in `audience.phones.3`. The body itself is the
/// empty path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(String);

impl FieldPath {
    pub fn root() -> Self {
        Self::default()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Runs `work` one level down, at a field or a map's key.
    pub fn field<R>(&mut self, name: &str, work: impl FnOnce(&mut Self) -> R) -> R {
        let end = name.char_indices().nth(NAME_CHARS_MAX).map_or(name.len(), |(end, _)| end);
        self.step(&name[..end], work)
    }

    /// Runs `work` one level down, at an element of a list.
    pub fn index<R>(&mut self, index: usize, work: impl FnOnce(&mut Self) -> R) -> R {
        self.step(index, work)
    }

    fn step<R>(&mut self, step: impl std::fmt::Display, work: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.0.len();
        let dot = if mark == 0 { "" } else { "." };
        let written = write!(self.0, "{dot}{step}");
        debug_assert!(written.is_ok(), "a String takes whatever is written to it");
        let result = work(self);
        self.0.truncate(mark);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_are_dotted_and_come_back_up() {
        let mut at = FieldPath::root();
        let deep =
            at.field("audience", |at| at.field("phones", |at| at.index(3, |at| at.as_str().to_owned())));
        assert_eq!(deep, "audience.phones.3");
        assert_eq!(at, FieldPath::root());
    }

    #[test]
    fn a_long_name_is_cut_off() {
        let name = "é".repeat(100_000);
        let shown = FieldPath::root().field(&name, |at| at.index(7, |at| at.as_str().to_owned()));
        assert_eq!(shown, format!("{}.7", "é".repeat(NAME_CHARS_MAX)));
    }

    proptest! {
        #[test]
        fn a_path_is_its_steps_joined_by_dots(steps in proptest::collection::vec("[a-z_]{1,8}", 1..6)) {
            fn walk(at: &mut FieldPath, steps: &[String]) -> String {
                match steps {
                    [] => at.as_str().to_owned(),
                    [first, rest @ ..] => at.field(first, |at| walk(at, rest)),
                }
            }
            let mut at = FieldPath::root();
            prop_assert_eq!(walk(&mut at, &steps), steps.join("."));
            prop_assert_eq!(at.as_str(), "");
        }
    }
}
