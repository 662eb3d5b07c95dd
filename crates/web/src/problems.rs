//! All problems of a body or a query, each with its path.
//!
//! A body without problems costs one path buffer: messages and paths are created only on failure.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::IgnoredFields;

/// The maximum of listed problems. A hostile body with a million wrong items must not produce a larger
/// response; the rest is counted.
pub const PROBLEMS_LISTED_MAX: usize = 1_000;

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
        self.step(name, work)
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

#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    path: String,
    message: String,
}

/// Collects problems, and the fields that were ignored, which are none. Without either it allocates nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    listed: Vec<Problem>,
    unlisted: usize,
    ignored: IgnoredFields,
}

impl Problems {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn one(path: impl Into<String>, message: impl Into<String>) -> Self {
        let mut problems = Self::new();
        problems.add(path, message);
        problems
    }

    /// Adds a problem at a path. The message follows the path's name in a sentence: "must not be blank".
    pub fn add(&mut self, path: impl Into<String>, message: impl Into<String>) {
        if self.listed.len() < PROBLEMS_LISTED_MAX {
            self.listed.push(Problem { path: path.into(), message: message.into() });
        } else {
            self.unlisted += 1;
        }
    }

    pub fn at(&mut self, at: &FieldPath, message: impl Into<String>) {
        self.add(at.as_str(), message);
    }

    /// Adds problems whose paths are relative to `at`.
    pub fn adopt(&mut self, at: &FieldPath, found: Self) {
        for Problem { path, message } in found.listed {
            let whole = match (at.as_str(), path.as_str()) {
                ("", _) => path,
                (above, "") => above.to_owned(),
                (above, below) => format!("{above}.{below}"),
            };
            self.add(whole, message);
        }
        self.unlisted += found.unlisted;
    }

    /// The fields that were ignored.
    pub(crate) fn ignored(&mut self) -> &mut IgnoredFields {
        &mut self.ignored
    }

    /// Sorts them in the order of a body's fields, and of the items of each list, so that problems found
    /// later come next to those found while parsing.
    pub fn in_order_of(mut self, fields: &[&str]) -> Self {
        self.listed.sort_by_key(|problem| {
            let mut steps = problem.path.split('.');
            let first = steps.next().unwrap_or_default();
            let field = fields.iter().position(|field| *field == first);
            (field.unwrap_or(fields.len()), steps.next().and_then(|item| item.parse::<usize>().ok()))
        });
        self
    }

    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    pub fn len(&self) -> usize {
        self.listed.len() + self.unlisted
    }

    /// The listed ones, as (path, message), in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.listed.iter().map(|problem| (problem.path.as_str(), problem.message.as_str()))
    }

    /// Ok if there are none, else the failure that lists them.
    pub fn settle(self) -> crate::Result<()> {
        if self.is_empty() { Ok(()) } else { Err(crate::Failure::validation(self)) }
    }

    pub(crate) fn into_details(self) -> Vec<Value> {
        self.listed
            .into_iter()
            .map(|problem| json!({ "path": problem.path, "message": problem.message }))
            .collect()
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
    fn adopted_problems_get_the_path_above_them() {
        let mut problems = Problems::new();
        let mut found = Problems::one("phones", "is required");
        found.add("", "must say who");
        FieldPath::root().field("audience", |at| problems.adopt(at, found.clone()));
        problems.adopt(&FieldPath::root(), found);
        let paths: Vec<_> = problems.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["audience.phones", "audience", "phones", ""]);
    }

    #[test]
    fn problems_are_ordered_by_their_paths() {
        let mut problems = Problems::new();
        for path in ["url", "tags.10", "on", "other", "tags.2", "tags"] {
            problems.add(path, "is wrong");
        }
        let ordered = problems.in_order_of(&["url", "tags", "on"]);
        let paths: Vec<_> = ordered.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["url", "tags", "tags.2", "tags.10", "on", "other"]);
    }

    #[test]
    fn past_the_limit_problems_are_counted_and_not_kept() {
        let mut problems = Problems::new();
        for _ in 0..PROBLEMS_LISTED_MAX + 5 {
            problems.add("x", "is wrong");
        }
        assert_eq!(problems.len(), PROBLEMS_LISTED_MAX + 5);
        assert_eq!(problems.into_details().len(), PROBLEMS_LISTED_MAX);
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
