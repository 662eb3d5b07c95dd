//! A migration's text, split into the steps of one engine.

use crate::dialect::Dialect;

/// A unit that runs, commits and is recorded separately.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Statements, in one transaction.
    Whole(String),
    /// Two statements that move some rows, repeated in separate transactions. The first takes the position
    /// where the last batch ended (`$1`, text, null at first) and returns the position where this one ends,
    /// null if nothing is left, and its number of rows. The second takes both positions (`$1`, `$2`) and
    /// moves the rows.
    Batch(String),
    /// One `CREATE INDEX CONCURRENTLY`, which PostgreSQL runs outside of transactions. SQLite needs no such
    /// step.
    Index(String),
}

impl Step {
    fn is_empty(&self) -> bool {
        let (Self::Whole(text) | Self::Batch(text) | Self::Index(text)) = self;
        text.trim().is_empty()
    }

    fn add(&mut self, line: &str) {
        let (Self::Whole(text) | Self::Batch(text) | Self::Index(text)) = self;
        text.push_str(line);
        text.push('\n');
    }
}

/// The two statements of a batch.
pub(super) fn batch_of(text: &str) -> (&str, &str) {
    let (end, moves) = text.split_once(';').unwrap_or((text, ""));
    (end, moves.trim().trim_end_matches(';'))
}

/// Splits a text at its `-- @step`, `-- @batch` and `-- @index`.
pub(super) fn steps(dialect: Dialect, text: &str) -> Vec<Step> {
    let mut wanted = true;
    let mut steps = vec![Step::Whole(String::new())];
    for line in text.lines() {
        match line.trim() {
            "-- @sqlite" => wanted = dialect == Dialect::Sqlite,
            "-- @postgres" => wanted = dialect == Dialect::Postgres,
            "-- @both" => wanted = true,
            _ if !wanted => {}
            "-- @step" => steps.push(Step::Whole(String::new())),
            "-- @batch" => steps.push(Step::Batch(String::new())),
            "-- @index" => steps.push(Step::Index(String::new())),
            comment if comment.starts_with("--") => {}
            line_alone => {
                let line = match (dialect, line_alone) {
                    (Dialect::Sqlite, ");") => ") STRICT, WITHOUT ROWID;".to_owned(),
                    (Dialect::Sqlite, _) => in_sqlite_types(line),
                    (Dialect::Postgres, _) => line.to_owned(),
                };
                steps.last_mut().expect("there is a first one").add(&line);
            }
        }
    }
    steps.retain(|step| !step.is_empty());
    steps
}

/// All steps as one text, for an empty database: there are no rows to move and no other servers to wait for.
pub(super) fn at_once(steps: &[Step]) -> String {
    let text = |step: &Step| match step {
        Step::Whole(text) => text.clone(),
        Step::Batch(_) => String::new(),
        Step::Index(text) => text.replace(" CONCURRENTLY", ""),
    };
    steps.iter().map(text).collect()
}

fn in_sqlite_types(line: &str) -> String {
    const TYPES: &[(&str, &str)] = &[
        (" uuid", " BLOB"),
        (" bytea", " BLOB"),
        (" timestamptz", " INTEGER"),
        (" bigint", " INTEGER"),
        (" boolean", " INTEGER"),
        (" double precision", " REAL"),
        (" jsonb", " TEXT"),
    ];
    TYPES.iter().fold(line.to_owned(), |line, (theirs, ours)| line.replace(theirs, ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_migration_text_serves_both_engines() {
        let text = "CREATE TABLE t (\n  id uuid NOT NULL,\n  at timestamptz\n);\n-- @postgres\nCREATE INDEX p ON t (id);\n-- @both\nCREATE INDEX b ON t (id);";
        assert_eq!(
            steps(Dialect::Sqlite, text),
            [Step::Whole(
                "CREATE TABLE t (\n  id BLOB NOT NULL,\n  at INTEGER\n) STRICT, WITHOUT ROWID;\nCREATE INDEX b ON t (id);\n"
                    .into()
            )]
        );
        let [Step::Whole(postgres)] = &steps(Dialect::Postgres, text)[..] else { panic!("one step") };
        assert!(
            postgres.contains("timestamptz") && postgres.contains("INDEX p") && postgres.contains("INDEX b")
        );
    }

    #[test]
    fn a_text_is_cut_into_steps_for_its_engine() {
        let text = "ALTER a;\n-- @postgres\n-- @batch\n-- Why.\nWITH b;\n-- @index\nCREATE INDEX CONCURRENTLY i ON t (a);\n-- @both\n-- @step\nALTER c;\n";
        let whole = |text: &str| Step::Whole(text.into());
        assert_eq!(steps(Dialect::Sqlite, text), [whole("ALTER a;\n"), whole("ALTER c;\n")]);
        let postgres = steps(Dialect::Postgres, text);
        let index = "CREATE INDEX CONCURRENTLY i ON t (a);\n";
        let expected = [
            whole("ALTER a;\n"),
            Step::Batch("WITH b;\n".into()),
            Step::Index(index.into()),
            whole("ALTER c;\n"),
        ];
        assert_eq!(postgres, expected);
        assert_eq!(at_once(&postgres), "ALTER a;\nCREATE INDEX i ON t (a);\nALTER c;\n");
    }
}
