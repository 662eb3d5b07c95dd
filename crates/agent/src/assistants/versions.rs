//! Versions of an assistant: what it was after each change, and the way back.
//!
//! A version is stored in the transaction of the change. An assistant without versions, which an earlier server created,
//! gets one of its state before the first change. The oldest versions are deleted.

use frontdesk_db::{self as db, Query, ReadTx, Row, Tx};
use frontdesk_inbox::answerers;
use frontdesk_inbox::connections::{self, Channel};
use frontdesk_kernel::ids::{AccountId, AssistantId, UserId};
use frontdesk_kernel::{Id, Timestamp};
use frontdesk_platform::listing::newest_first;
use frontdesk_platform::{Actor, By, Error as PlatformError, members};
use frontdesk_web::{Components, Describe, FieldPath, Input, Page, Problems, resource};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::assistant::{Assistant, AssistantError, MISSING, UnconfinedTools};
use super::input::{AssistantPatch, Target};
use super::instructions::bind_known;
use super::patching::{check_patch, patched};
use super::{row, sql};
use crate::instructions::{self, InstructionId};
use crate::tools::{self, ToolSpec};

/// Maximum versions of one assistant.
const VERSIONS_MAX: i64 = 200;
/// Fields that differ from version to version without a change of the assistant, or that are counted elsewhere.
const NOT_COMPARED: [&str; 4] = ["id", "created_at", "updated_at", "instruction_count"];
const UNCONFINED_TOOLS: &str = "unconfined_tools";
const INSTRUCTION_IDS: &str = "instruction_ids";

pub type VersionId = Id<AssistantVersion>;

resource! {
    /// A version of an assistant: what it was after a change.
    pub struct AssistantVersion {
        pub id: VersionId,
        /// Counts from 1.
        pub number: i64,
        pub created_at: Timestamp,
        /// The member who made the change; null for an API key.
        pub author_user_id: Option<UserId>,
        /// The number of the version that was restored.
        pub restored_from: Option<i64>,
        /// The names of the fields that differ from the version before.
        pub changed: Vec<String>,
    }
}

resource! {
    /// A version of an assistant, with everything that it was.
    pub struct AssistantVersionDetail {
        #[serde(flatten)]
        pub version: AssistantVersion,
        pub assistant: StoredAssistant,
        pub unconfined_tools: Vec<String>,
        /// In order. Some may have been deleted since.
        pub instruction_ids: Vec<InstructionId>,
    }
}

/// The fields of an assistant as they were stored.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct StoredAssistant(Map<String, Value>);

impl Describe for StoredAssistant {
    fn schema(components: &mut Components) -> Value {
        Assistant::schema(components)
    }
}

pub(crate) const NO_VERSION: PlatformError = PlatformError::Missing("version");

/// Everything that an assistant is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Snapshot {
    assistant: Map<String, Value>,
    unconfined_tools: Vec<String>,
    instruction_ids: Vec<String>,
}

impl Snapshot {
    fn read(tx: &mut ReadTx<'_>, account: AccountId, id: AssistantId) -> db::Result<Option<Self>> {
        let Some(assistant) = row::find(tx, account, id)? else { return Ok(None) };
        let Ok(Value::Object(assistant)) = serde_json::to_value(&assistant) else {
            return Err(db::Error::Decode("assistant"));
        };
        let bound = tx.query(sql::BOUND_IDS, &[&account, &id], db::only::<InstructionId>)?;
        Ok(Some(Self {
            assistant,
            unconfined_tools: row::unconfined_tools(tx, account, id)?.0,
            instruction_ids: bound.iter().map(ToString::to_string).collect(),
        }))
    }

    /// The names of the fields that differ.
    fn changes_to(&self, after: &Self) -> Vec<String> {
        let fields = after.assistant.iter().filter(|(name, _)| !NOT_COMPARED.contains(&name.as_str()));
        let mut changed: Vec<String> = fields
            .filter(|(name, value)| self.assistant.get(*name) != Some(*value))
            .map(|(name, _)| name.clone())
            .collect();
        if self.unconfined_tools != after.unconfined_tools {
            changed.push(UNCONFINED_TOOLS.to_owned());
        }
        if self.instruction_ids != after.instruction_ids {
            changed.push(INSTRUCTION_IDS.to_owned());
        }
        changed
    }
}

/// Makes a change of an assistant, and stores the version after it if something differs.
pub(super) fn recorded<T>(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    change: impl FnOnce(&mut Tx<'_>, Assistant) -> Result<T, AssistantError>,
) -> Result<T, AssistantError> {
    // The lock keeps other changes, and their versions, out until this one commits.
    let assistant = row::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let before = Snapshot::read(tx, by.account, id)?.ok_or(MISSING)?;
    let done = change(tx, assistant)?;
    record(tx, by, id, &before, None)?;
    Ok(done)
}

/// Stores the first version of a new assistant.
pub(super) fn record_first(tx: &mut Tx<'_>, by: &By, id: AssistantId) -> Result<(), AssistantError> {
    let created = Snapshot::read(tx, by.account, id)?.ok_or(MISSING)?;
    Ok(insert(tx, by, id, &NewVersion { number: 1, author: author(by), changed: &[], ..of(&created) })?)
}

fn record(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    before: &Snapshot,
    restored_from: Option<i64>,
) -> Result<(), AssistantError> {
    let after = Snapshot::read(tx, by.account, id)?.ok_or(MISSING)?;
    let changed = before.changes_to(&after);
    if changed.is_empty() {
        return Ok(());
    }
    let last: Option<i64> = tx.find(sql::LAST_VERSION, &[&by.account, &id], db::only)?.flatten();
    if last.is_none() {
        // Nobody knows who made it what it was.
        insert(tx, by, id, &NewVersion { number: 1, ..of(before) })?;
    }
    let number = last.unwrap_or(1) + 1;
    let new = NewVersion { number, author: author(by), changed: &changed, restored_from, ..of(&after) };
    insert(tx, by, id, &new)?;
    let _any_number_is_fine =
        tx.execute(sql::FORGET_VERSIONS, &[&by.account, &id, &(number - VERSIONS_MAX)])?;
    Ok(())
}

fn author(by: &By) -> Option<UserId> {
    match by.actor {
        Actor::Member(user) => Some(user),
        Actor::Key(_) | Actor::Assistant(_) | Actor::System => None,
    }
}

struct NewVersion<'v> {
    number: i64,
    snapshot: &'v Snapshot,
    changed: &'v [String],
    author: Option<UserId>,
    restored_from: Option<i64>,
}

fn of(snapshot: &Snapshot) -> NewVersion<'_> {
    NewVersion { number: 0, snapshot, changed: &[], author: None, restored_from: None }
}

fn insert(tx: &mut Tx<'_>, by: &By, assistant: AssistantId, new: &NewVersion<'_>) -> db::Result<()> {
    let id: VersionId = by.new_id();
    let written = |value: serde_json::Result<String>| value.map_err(|_| db::Error::Decode("version"));
    let snapshot = written(serde_json::to_string(new.snapshot))?;
    let changed = written(serde_json::to_string(new.changed))?;
    let params: &[&dyn db::Param] =
        &[&by.account, &assistant, &id, &new.number, &snapshot, &changed, &new.author, &new.restored_from];
    tx.execute(sql::INSERT_VERSION, params)?.exactly(1)
}

pub(crate) fn list(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    assistant: AssistantId,
    page: &Page,
) -> db::Result<Vec<AssistantVersion>> {
    let mut query = Query::new(sql::VERSIONS);
    query.bind(account).push(" AND assistant_id = ").bind(assistant);
    newest_first(&mut query, page);
    tx.run(&query, read)
}

fn read(row: &mut Row<'_>) -> db::Result<AssistantVersion> {
    let id: VersionId = row.next()?;
    Ok(AssistantVersion {
        id,
        number: row.next()?,
        created_at: id.created_at(),
        author_user_id: row.next()?,
        restored_from: row.next()?,
        changed: parsed(&row.next::<String>()?)?,
    })
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> db::Result<T> {
    serde_json::from_str(text).map_err(|_| db::Error::Decode("version"))
}

fn find_snapshot(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    assistant: AssistantId,
    id: VersionId,
) -> db::Result<Option<(AssistantVersion, Snapshot)>> {
    tx.find(sql::FIND_VERSION, &[&account, &assistant, &id], |row| {
        let version = read(row)?;
        Ok((version, parsed(&row.next::<String>()?)?))
    })
}

pub(crate) fn find(
    tx: &mut ReadTx<'_>,
    account: AccountId,
    assistant: AssistantId,
    id: VersionId,
) -> db::Result<Option<AssistantVersionDetail>> {
    let found = find_snapshot(tx, account, assistant, id)?;
    Ok(found.map(|(version, snapshot)| AssistantVersionDetail {
        version,
        assistant: StoredAssistant(snapshot.assistant),
        unconfined_tools: snapshot.unconfined_tools,
        instruction_ids: snapshot.instruction_ids.iter().filter_map(|id| id.parse().ok()).collect(),
    }))
}

/// Makes an assistant what it was in a version. Members, personal numbers, instructions and tools that are gone are left
/// out. It is a change like any other, so it has a version too.
pub(crate) fn restore(
    tx: &mut Tx<'_>,
    by: &By,
    id: AssistantId,
    version: VersionId,
) -> Result<Assistant, AssistantError> {
    let stored = row::find_to_change(tx, by.account, id)?.ok_or(MISSING)?;
    let (version, wanted) = find_snapshot(tx, by.account, id, version)?.ok_or(NO_VERSION)?;
    let before = Snapshot::read(tx, by.account, id)?.ok_or(MISSING)?;
    let patch = patch_of(tx, by, wanted.assistant)?;
    check_patch(tx, by, &stored, &patch)?;
    let assistant = patched(stored, &patch, by.now);
    row::update(tx, by.account, &assistant)?;
    answerers::put(tx, by.account, id, assistant.enabled, &assistant.targets)?;
    let unconfined = wanted.unconfined_tools.into_iter();
    let unconfined = unconfined.filter(|tool| tools::find(tool).is_some_and(ToolSpec::can_be_unconfined));
    row::set_unconfined_tools(tx, by.account, id, &UnconfinedTools(unconfined.collect()))?;
    let mut known = Vec::new();
    for instruction in wanted.instruction_ids.iter().filter_map(|id| id.parse().ok()) {
        if instructions::find(tx, by.account, instruction)?.is_some() {
            known.push(instruction);
        }
    }
    bind_known(tx, by, id, &known)?;
    record(tx, by, id, &before, Some(version.number))?;
    Ok(row::find(tx, by.account, id)?.ok_or(MISSING)?)
}

/// The change that gives an assistant these fields.
fn patch_of(
    tx: &mut ReadTx<'_>,
    by: &By,
    mut fields: Map<String, Value>,
) -> Result<AssistantPatch, AssistantError> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let is_tool = |value: &Value| tools::find(&text(value)).is_some();
    if let Some(Value::Object(access)) = fields.get_mut("tool_access") {
        access.retain(|tool, _| tools::find(tool).is_some());
    }
    if let Some(Value::Array(gated)) = fields.get_mut("gated_tools") {
        gated.retain(is_tool);
    }
    let allowed = fields.get_mut("delegation").and_then(|delegation| delegation.get_mut("allowed_tools"));
    if let Some(Value::Array(allowed)) = allowed {
        allowed.retain(is_tool);
    }
    let member = fields.get("default_handoff_user_id").and_then(|member| text(member).parse().ok());
    if let Some(member) = member
        && !members::is_active(tx, by.account, member)?
    {
        fields.insert("default_handoff_user_id".to_owned(), Value::Null);
    }
    if let Some(Value::Array(targets)) = fields.remove("targets") {
        let mut known = Vec::new();
        for target in targets {
            let is_there = match text(&target).parse() {
                Ok(Target::Channel(_)) => true,
                Ok(Target::Personal(id)) => connections::find(tx, by.account, id)?
                    .is_some_and(|connection| connection.channel() == Channel::PersonalWhatsapp),
                Err(_) => false,
            };
            if is_there {
                known.push(target);
            }
        }
        fields.insert("targets".to_owned(), Value::Array(known));
    }
    let mut problems = Problems::new();
    let patch = AssistantPatch::read(Some(&Value::Object(fields)), &mut FieldPath::root(), &mut problems);
    patch.ok_or(AssistantError::Invalid(problems))
}

#[cfg(test)]
mod tests {
    use frontdesk_web::Example;
    use serde_json::json;

    use super::*;

    fn snapshot() -> Snapshot {
        let Ok(Value::Object(assistant)) = serde_json::to_value(Assistant::example()) else {
            panic!("an assistant is an object")
        };
        Snapshot { assistant, unconfined_tools: Vec::new(), instruction_ids: vec!["a".to_owned()] }
    }

    #[test]
    fn a_change_is_named_by_its_fields_and_the_time_is_none() {
        let before = snapshot();
        let mut after = before.clone();
        after.assistant.insert("updated_at".to_owned(), json!("2030-01-01T00:00:00.000Z"));
        after.assistant.insert("instruction_count".to_owned(), json!(7));
        assert_eq!(before.changes_to(&after), [""; 0]);
        after.assistant.insert("name".to_owned(), json!("Kim"));
        after.unconfined_tools.push("search_contacts".to_owned());
        after.instruction_ids.clear();
        assert_eq!(before.changes_to(&after), ["name", "unconfined_tools", "instruction_ids"]);
    }

    #[test]
    fn a_snapshot_is_read_as_it_was_written() {
        let written = serde_json::to_string(&snapshot()).unwrap();
        assert_eq!(serde_json::from_str::<Snapshot>(&written).unwrap(), snapshot());
    }

    #[test]
    fn every_field_of_an_assistant_can_be_restored() {
        let mut problems = Problems::new();
        let fields = Value::Object(snapshot().assistant);
        assert!(AssistantPatch::read(Some(&fields), &mut FieldPath::root(), &mut problems).is_some());
        let found: Vec<_> = problems.iter().collect();
        assert!(found.is_empty(), "{found:?}");
    }
}
