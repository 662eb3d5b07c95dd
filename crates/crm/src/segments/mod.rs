//! Segments: contacts described by rules instead of listed by hand.
//!
//! Rules are checked when a segment is written and compiled to SQL when it is read, so membership is always current. A
//! segment's contacts are counted when it is read.

mod api;
mod compile;
mod counts;
#[cfg(test)]
mod fuzzed;
mod rule;
mod sql;

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx, only};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Id, Text, Timestamp};
use frontdesk_platform::export::{Columns, Exported, ExportedRows, LineFields};
use frontdesk_platform::listing::Counted;
use frontdesk_platform::{By, Error as PlatformError};
use frontdesk_web::{Deleted, Failure, Given, Items, Problems, choice, input, resource};
use serde_json::{Map, Value};

pub use api::routes;
pub use compile::condition;
pub use rule::{Field, Op, Rule, RuleInput};

use crate::quota::TooMany;
pub use sql::STATEMENTS;
use sql::{COUNT, DELETE, FIND, INSERT, LIST, MARK_TRIGGERS, UPDATE};

/// Maximum segments of an account, and rules of a segment.
const SEGMENTS_MAX: i64 = 200;
const RULES_MAX: usize = 50;

pub type SegmentId = Id<Segment>;
type Rules = Items<RuleInput, RULES_MAX>;

choice! {
    /// Whether all rules must hold, or any one.
    pub enum Match {
        All => "all",
        Any => "any",
    }
}

frontdesk_db::text_column!(Match);

resource! {
    /// Contacts described by rules.
    pub struct Segment {
        pub id: SegmentId,
        pub name: String,
        pub r#match: Match,
        pub rules: Vec<Rule>,
        /// The number of matching contacts. A slow count may be some minutes old.
        pub contact_count: i64,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
    }
}

input! {
    /// A new segment.
    pub struct NewSegment {
        pub name: Text<100>,
        /// Defaults to `all`.
        pub r#match: Option<Match>,
        pub rules: Rules,
    }
    shape = has_rules;
}

input! {
    /// Rules to be tried out.
    pub struct SegmentRules {
        /// Defaults to `all`.
        pub r#match: Option<Match>,
        pub rules: Rules,
    }
    shape = has_rules;
}

input! {
    /// Changes of a segment. Rules are replaced as a whole.
    pub struct SegmentPatch {
        pub name: Given<Text<100>>,
        pub r#match: Given<Match>,
        pub rules: Given<Rules>,
    }
    shape = has_rules;
}

fn has_rules(segment: &Map<String, Value>, problems: &mut Problems) {
    if segment.get("rules").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        problems.add("rules", "must have at least one rule");
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error("some rules are not acceptable")]
    Invalid(Problems),
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

impl From<db::Error> for SegmentError {
    fn from(error: db::Error) -> Self {
        Self::Platform(error.into())
    }
}

impl From<SegmentError> for Failure {
    fn from(error: SegmentError) -> Self {
        match error {
            SegmentError::Platform(error) => error.into(),
            SegmentError::Invalid(problems) => Self::validation(problems),
            SegmentError::TooMany(error) => error.into(),
        }
    }
}

pub(crate) const MISSING: PlatformError = PlatformError::Missing("segment");

pub fn create(tx: &mut Tx<'_>, by: &By, new: &NewSegment) -> Result<Segment, SegmentError> {
    let segment = draft(tx, by, new)?;
    let params: &[&dyn db::Param] =
        &[&by.account, &segment.id, &segment.name, &segment.r#match, &rule::written(&segment.rules), &by.now];
    tx.execute(INSERT, params)?.exactly(1)?;
    Ok(segment)
}

/// The new segment before it is stored, without its count.
pub fn draft(tx: &mut ReadTx<'_>, by: &By, new: &NewSegment) -> Result<Segment, SegmentError> {
    let count = tx.find(COUNT, &[&by.account], only)?.unwrap_or(0);
    TooMany::check("segments", count, SEGMENTS_MAX)?;
    let id: SegmentId = by.new_id();
    Ok(Segment {
        id,
        name: new.name.as_str().to_owned(),
        r#match: new.r#match.unwrap_or(Match::All),
        rules: rule::check(tx, by, new.rules.0.iter().enumerate())?,
        contact_count: 0,
        created_at: id.created_at(),
        updated_at: by.now,
    })
}

/// Rules as a segment that is never stored.
pub fn unstored(tx: &mut ReadTx<'_>, by: &By, asked: &SegmentRules) -> Result<Segment, SegmentError> {
    let id: SegmentId = by.new_id();
    Ok(Segment {
        id,
        name: String::new(),
        r#match: asked.r#match.unwrap_or(Match::All),
        rules: rule::check(tx, by, asked.rules.0.iter().enumerate())?,
        contact_count: 0,
        created_at: id.created_at(),
        updated_at: by.now,
    })
}

pub fn patch(tx: &mut Tx<'_>, by: &By, id: SegmentId, patch: &SegmentPatch) -> Result<Segment, SegmentError> {
    let mut segment = tx.find_to_change(FIND, &[&by.account, &id], read)?.ok_or(MISSING)?;
    if let Given::Value(name) = &patch.name {
        name.as_str().clone_into(&mut segment.name);
    }
    segment.r#match = patch.r#match.apply(segment.r#match);
    if let Given::Value(rules) = &patch.rules {
        segment.rules = rule::check(tx, by, rules.0.iter().enumerate())?;
    }
    segment.updated_at = by.now;
    let params: &[&dyn db::Param] =
        &[&by.account, &id, &segment.name, &segment.r#match, &rule::written(&segment.rules), &by.now];
    tx.execute(UPDATE, params)?.exactly(1)?;
    Ok(segment)
}

pub fn delete(tx: &mut Tx<'_>, by: &By, id: SegmentId) -> Result<Deleted, SegmentError> {
    if !tx.execute(DELETE, &[&by.account, &id])?.any() {
        return Err(MISSING.into());
    }
    let _any_number_is_fine = tx.execute(MARK_TRIGGERS, &[&by.account, &id, &by.now])?;
    Ok(Deleted::new(id))
}

/// The segment, without its count.
pub fn find(tx: &mut ReadTx<'_>, account: AccountId, id: SegmentId) -> db::Result<Option<Segment>> {
    tx.find(FIND, &[&account, &id], read)
}

pub fn list(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Vec<Segment>> {
    tx.query(LIST, &[&account], read)
}

impl Segment {
    /// Its rules as text, from which [`Segment::frozen`] restores them.
    pub fn freeze(&self) -> (Match, String) {
        (self.r#match, rule::written(&self.rules))
    }

    /// A segment with the rules that another one had when it was frozen, regardless of later changes.
    pub fn frozen(id: SegmentId, combine: Match, rules: &str) -> db::Result<Self> {
        Ok(Self {
            id,
            name: String::new(),
            r#match: combine,
            rules: rule::stored(rules)?,
            contact_count: 0,
            created_at: id.created_at(),
            updated_at: id.created_at(),
        })
    }
}

/// How many contacts the segment describes.
pub fn count(tx: &mut ReadTx<'_>, account: AccountId, segment: &Segment, now: Timestamp) -> db::Result<i64> {
    let mut query = Query::new("SELECT count(*) FROM contacts c WHERE c.account_id = ");
    query.bind(account).push(" AND ");
    condition(tx, segment, &mut query, now);
    Ok(tx.run(&query, only)?.first().copied().unwrap_or(0))
}

/// The same, up to a maximum.
pub fn count_up_to(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    segment: &Segment,
    now: Timestamp,
    max: i64,
) -> db::Result<Counted> {
    let mut query = Query::new("SELECT c.id FROM contacts c WHERE c.account_id = ");
    query.bind(account).push(" AND ");
    condition(tx, segment, &mut query, now);
    query.push(" LIMIT ").bind(max + 1);
    let found = tx.run(&query.counted(), only)?.first().copied().unwrap_or(0);
    Ok(Counted::up_to(max, found))
}

/// Segments without their counts, which are not stored.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "segments",
    &["segments"],
    Columns {
        sql: "t.id, t.name, t.match, t.rules, t.updated_at",
        line: |row, _| {
            let segment = read(row)?;
            let line = LineFields::default()
                .with("id", &segment.id)?
                .with("name", &segment.name)?
                .with("match", &segment.r#match)?
                .with("rules", &segment.rules)?
                .with("created_at", &segment.created_at)?
                .with("updated_at", &segment.updated_at)?;
            Ok(line.finish())
        },
    },
)];

fn read(row: &mut Row<'_>) -> db::Result<Segment> {
    let id: SegmentId = row.next()?;
    let (name, combine) = (row.next()?, row.next()?);
    let rules = rule::stored(&row.next::<String>()?)?;
    Ok(Segment {
        id,
        name,
        r#match: combine,
        rules,
        contact_count: 0,
        created_at: id.created_at(),
        updated_at: row.next()?,
    })
}
