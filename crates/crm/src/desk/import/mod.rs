//! Imports contacts from a file that the dashboard has parsed. Each row creates a contact, updates one, or is
//! rejected with its errors. A batch is one transaction. A dry run does the same work and rolls it back, so
//! it reports exactly what the real run would do.

use std::sync::Arc;

use frontdesk_db::{self as db, Tx};
use frontdesk_kernel::{Patch, Text};
use frontdesk_platform::{By, Caller, Error as PlatformError, store_failure};
use frontdesk_web::{
    Body, Data, Failure, FieldPath, Input, Items, Page, Problems, Result as WebResult, choice, input,
    resource,
};
use serde_json::Value;

use crate::contacts::{
    self, Contact, ContactError, ContactFilters, ContactId, ContactPatch, NewContact, matching, retag,
};
use crate::tags::{self, NewTag, TagError, TagId};

/// Rows of one batch.
const ROWS_MAX: usize = 500;

choice! {
    /// The field that finds the contact to update.
    pub enum MatchBy {
        Phone => "phone",
        Email => "email",
    }
}

choice! {
    /// What came of a row.
    pub enum ImportOutcome {
        Created => "created",
        Updated => "updated",
        Unchanged => "unchanged",
        Rejected => "rejected",
    }
}

input! {
    /// Rows to import.
    pub struct ImportBatch {
        /// Whether to report only, and write nothing.
        pub dry_run: bool,
        pub match_by: MatchBy,
        /// False leaves a contact that a row matches as it is.
        pub update_existing: bool,
        /// Each with its `line`, the fields of a contact, and `tags` by name; a tag that does not exist is created.
        pub rows: Items<Value, ROWS_MAX>,
    }
}

resource! {
    /// What came of a batch.
    pub struct Imported {
        pub results: Vec<ImportResult>,
    }
}

resource! {
    /// What came of a row.
    pub struct ImportResult {
        /// The line in the file, as it was sent.
        pub line: i64,
        pub outcome: ImportOutcome,
        pub contact_id: Option<ContactId>,
        /// Why it was rejected.
        pub errors: Vec<ImportError>,
    }
}

resource! {
    /// A field, and what is wrong with it.
    pub struct ImportError {
        pub path: String,
        pub message: String,
    }
}

/// Why a transaction did not commit.
#[derive(Debug, thiserror::Error)]
enum Stopped {
    #[error(transparent)]
    Store(#[from] db::Error),
    #[error("the contacts cannot be imported")]
    Refused(ContactError),
    /// It was a dry run.
    #[error("nothing is to be kept")]
    Dry(Vec<ImportResult>),
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Store(error) => store_failure(&error),
            Stopped::Refused(error) => error.into(),
            Stopped::Dry(_) => Self::internal(),
        }
    }
}

pub(super) async fn import(caller: Caller, Body(batch): Body<ImportBatch>) -> WebResult<Data<Imported>> {
    if !batch.dry_run {
        return caller.write(move |tx, by| run(tx, by, &batch)).await.map(Data);
    }
    // A dry run is rolled back, so its outcome is not stored under an idempotency key.
    let (store, by) = (caller.store().clone(), caller.by.clone());
    let batch = Arc::new(batch);
    let undone = store.write(move |tx| match run(tx, &by, &batch) {
        Ok(imported) => Err::<(), _>(Stopped::Dry(imported.results)),
        Err(stopped) => Err(stopped),
    });
    match undone.await {
        Err(Stopped::Dry(results)) => Ok(Data(Imported { results })),
        Err(stopped) => Err(stopped.into()),
        Ok(()) => Err(Failure::internal()),
    }
}

fn run(tx: &mut Tx<'_>, by: &By, batch: &ImportBatch) -> Result<Imported, Stopped> {
    let mut results = Vec::with_capacity(batch.rows.0.len());
    for (at, row) in batch.rows.0.iter().enumerate() {
        let line = row["line"].as_i64().unwrap_or(at as i64 + 1);
        let result = match import_row(tx, by, batch, row) {
            Ok((outcome, id)) => ImportResult { line, outcome, contact_id: Some(id), errors: Vec::new() },
            Err(Rejection::Row(errors)) => {
                ImportResult { line, outcome: ImportOutcome::Rejected, contact_id: None, errors }
            }
            Err(Rejection::Batch(stopped)) => return Err(stopped),
        };
        results.push(result);
    }
    Ok(Imported { results })
}

/// Why a row was not imported.
enum Rejection {
    Row(Vec<ImportError>),
    Batch(Stopped),
}

impl From<db::Error> for Rejection {
    fn from(error: db::Error) -> Self {
        Self::Batch(Stopped::Store(error))
    }
}

impl From<ContactError> for Rejection {
    fn from(error: ContactError) -> Self {
        match error {
            ContactError::Invalid(problems) => rejected(&problems),
            ContactError::PhoneTaken { .. } => one("phone", "belongs to another contact"),
            ContactError::Platform(PlatformError::Store(error)) => error.into(),
            // The plan's limit, which fails the whole batch.
            other => Self::Batch(Stopped::Refused(other)),
        }
    }
}

impl From<TagError> for Rejection {
    fn from(error: TagError) -> Self {
        match error {
            TagError::Platform(PlatformError::Store(error)) => error.into(),
            other => one("tags", &other.to_string()),
        }
    }
}

fn rejected(problems: &Problems) -> Rejection {
    let error =
        |(path, message): (&str, &str)| ImportError { path: path.to_owned(), message: message.to_owned() };
    Rejection::Row(problems.iter().map(error).collect())
}

fn one(path: &str, message: &str) -> Rejection {
    Rejection::Row(vec![ImportError { path: path.to_owned(), message: message.to_owned() }])
}

fn import_row(
    tx: &mut Tx<'_>,
    by: &By,
    batch: &ImportBatch,
    row: &Value,
) -> Result<(ImportOutcome, ContactId), Rejection> {
    let mut problems = Problems::new();
    let read = NewContact::read(Some(row), &mut FieldPath::root(), &mut problems);
    let Some(new) = read.filter(|_| problems.is_empty()) else { return Err(rejected(&problems)) };
    let key = match batch.match_by {
        MatchBy::Phone => new.phone.is_some().then(|| ContactFilters { phone: new.phone.clone(), ..none() }),
        MatchBy::Email => new.email.is_some().then(|| ContactFilters { email: new.email.clone(), ..none() }),
    };
    let Some(key) = key else {
        return Err(one(batch.match_by.as_str(), "is needed to find the contact that the row is about"));
    };
    let existing = matching(tx, by, &key, &Page::inside(1, None))?.into_iter().next().map(|row| row.contact);
    match existing {
        Some(found) if !batch.update_existing => Ok((ImportOutcome::Unchanged, found.id)),
        Some(found) => {
            let tags = tags_of(tx, by, row)?;
            update(tx, by, &found, new, &tags)
        }
        None => {
            let tags = tags_of(tx, by, row)?;
            let made = contacts::create(tx, by, &NewContact { tag_ids: Some(Items(tags)), ..new })?;
            Ok((ImportOutcome::Created, made.id))
        }
    }
}

fn none() -> ContactFilters {
    ContactFilters {
        q: None,
        tag_id: None,
        segment_id: None,
        phone: None,
        email: None,
        updated_since: None,
        created_since: None,
    }
}

/// Fills in the row's fields. Custom fields come first: they may be rejected, and then nothing else must be
/// written.
fn update(
    tx: &mut Tx<'_>,
    by: &By,
    found: &Contact,
    new: NewContact,
    tags: &[TagId],
) -> Result<(ImportOutcome, ContactId), Rejection> {
    let keep = || ContactPatch {
        phone: Patch::Keep,
        name: Patch::Keep,
        email: Patch::Keep,
        company: Patch::Keep,
        tag_ids: Patch::Keep,
        custom_fields: None,
    };
    let fields = ContactPatch {
        phone: set(new.phone),
        name: set(new.name),
        email: set(new.email),
        company: set(new.company),
        ..keep()
    };
    let id = found.id;
    let mut updated = contacts::patch(tx, by, id, &fields)?;
    if new.custom_fields.is_some() {
        updated = contacts::patch(tx, by, id, &ContactPatch { custom_fields: new.custom_fields, ..keep() })?;
    }
    if !tags.is_empty() {
        updated = retag(tx, by, id, tags, &[])?;
    }
    let is_changed = updated.updated_at != found.updated_at;
    Ok((if is_changed { ImportOutcome::Updated } else { ImportOutcome::Unchanged }, id))
}

fn set<T>(given: Option<T>) -> Patch<T> {
    given.map_or(Patch::Keep, Patch::Set)
}

/// The tags of a row. Missing ones are created.
fn tags_of(tx: &mut Tx<'_>, by: &By, row: &Value) -> Result<Vec<TagId>, Rejection> {
    let mut ids = Vec::new();
    for (at, name) in row["tags"].as_array().into_iter().flatten().enumerate() {
        let path = format!("tags.{at}");
        let Some(name) = name.as_str() else { return Err(one(&path, "must be the name of a tag")) };
        let name: Text<100> =
            name.parse().map_err(|wrong: frontdesk_kernel::text::NotAText| one(&path, &wrong.to_string()))?;
        let id = match tags::find_by_name(tx, by.account, &name)? {
            Some(id) => id,
            None => tags::create(tx, by, &NewTag { name, color: None })?.id,
        };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}
