//! All problems of a body or a query, each with its path.
//!
//! A body without problems costs one path buffer: messages and paths are created only on failure.

use serde_json::{Value, json};

use crate::field_path::FieldPath;
use crate::ignored::IgnoredFields;

/// The maximum of listed problems. A hostile body with a million wrong items must not produce a larger
/// response; the rest is counted.
pub const PROBLEMS_LISTED_MAX: usize = 1_000;

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
}
