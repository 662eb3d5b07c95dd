//! What the files say, and what the server says, in one form that can be compared.

use std::collections::BTreeSet;

use frontdesk_triggers::{Definition, NewDefinition};
use frontdesk_web::{FieldPath, Input, Problems};
use serde_json::{Map, Value, json};

use super::fields::{self, PROMPT};
use super::lock::Entry;
use super::slug;
use crate::error::{Error, Result};

/// The field of the settings that the API has beside them.
const UNCONFINED_TOOLS: &str = "unconfined_tools";
/// Fields of the API that no file has: ids, and what happened.
const NOT_IN_FILES: &[&str] =
    &["id", "assistant_id", "instruction_count", "created_at", "updated_at", "last_fired_at", "last_error"];

/// An instruction or a trigger: a file of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    /// The file's name without its ending.
    pub(super) name: String,
    /// Its id in the account, if it is there already.
    pub(super) id: Option<String>,
    pub(super) fields: Map<String, Value>,
}

/// Everything that an assistant is. All fields are there, also those with their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Content {
    pub(super) settings: Map<String, Value>,
    /// In the order in which the assistant follows them.
    pub(super) instructions: Vec<Part>,
    pub(super) triggers: Vec<Part>,
}

impl Content {
    /// The content of a definition of the API. Its parts have the names that the lock knows them by.
    pub(super) fn of_definition(definition: &Value, entry: Option<&Entry>) -> Result<Self> {
        let mut settings = fields_of(&definition["assistant"])?;
        settings.insert(UNCONFINED_TOOLS.to_owned(), definition[UNCONFINED_TOOLS].clone());
        let known = |name: &String| name == PROMPT || fields::SETTINGS.contains(&name.as_str());
        if let Some(strange) = settings.keys().find(|name| !known(name)) {
            return Err(newer(strange));
        }
        let none = Entry::default();
        let entry = entry.unwrap_or(&none);
        let named =
            |list: &str, known: &std::collections::BTreeMap<String, String>, title: &str, noun: &str| {
                let rows = definition[list].as_array().cloned().unwrap_or_default();
                let mut taken: BTreeSet<String> = known.keys().cloned().collect();
                let parts = rows.iter().map(|row| {
                    let id = row["id"].as_str().map(str::to_owned);
                    let fields = fields_of(row)?;
                    let locked = known.iter().find(|(_, known)| Some(*known) == id.as_ref());
                    let name = locked.map(|(name, _)| name.clone());
                    let name = name.unwrap_or_else(|| {
                        slug::unused(row[title].as_str().unwrap_or_default(), noun, &taken)
                    });
                    taken.insert(name.clone());
                    Ok(Part { name, id, fields })
                });
                parts.collect::<Result<Vec<Part>>>()
            };
        let instructions = named("instructions", &entry.instructions, "title", "instruction")?;
        let triggers = named("triggers", &entry.triggers, "name", "trigger")?;
        let strange = triggers.iter().flat_map(|part| part.fields.keys());
        if let Some(strange) = strange.clone().find(|name| !fields::TRIGGER.contains(&name.as_str())) {
            return Err(newer(strange));
        }
        Ok(Self { settings, instructions, triggers })
    }

    /// The content of files: the body of a request with what they say, and the names of the files. What is left out gets its
    /// default. Problems name paths of the body.
    pub(super) fn of_body(
        body: &Value,
        instructions: Vec<String>,
        triggers: Vec<String>,
    ) -> std::result::Result<Self, Problems> {
        let mut problems = Problems::new();
        let new = NewDefinition::read(Some(body), &mut FieldPath::root(), &mut problems);
        let Some(new) = new else { return Err(problems) };
        let whole = serde_json::to_value(Definition::of_new(&new)).unwrap_or_default();
        let mut content =
            Self::of_definition(&whole, None).map_err(|error| Problems::one("", error.to_string()))?;
        let lists = [(&mut content.instructions, instructions), (&mut content.triggers, triggers)];
        for (parts, names) in lists {
            for (part, name) in parts.iter_mut().zip(names) {
                (part.name, part.id) = (name, None);
            }
        }
        Ok(content)
    }

    /// Finds out which parts of `remote` the parts of these files are, and gives both the same name. A part is the one of its
    /// name, or else one of the same title that has no file.
    pub(super) fn align(&mut self, remote: &mut Self) {
        align(&mut self.instructions, &mut remote.instructions, "title");
        align(&mut self.triggers, &mut remote.triggers, "name");
    }

    /// The definition of a request.
    pub(super) fn body(&self) -> Value {
        let mut assistant = self.settings.clone();
        let unconfined = assistant.remove(UNCONFINED_TOOLS);
        if assistant.get(PROMPT).is_some_and(|prompt| prompt == "") {
            assistant.insert(PROMPT.to_owned(), Value::Null);
        }
        let parts = |parts: &[Part]| {
            let rows = parts.iter().map(|part| {
                let mut row = part.fields.clone();
                row.extend(part.id.clone().map(|id| ("id".to_owned(), json!(id))));
                Value::Object(row)
            });
            rows.collect::<Value>()
        };
        json!({
            "assistant": assistant,
            UNCONFINED_TOOLS: unconfined,
            "instructions": parts(&self.instructions),
            "triggers": parts(&self.triggers),
        })
    }

    /// What the lock says of this content in an account.
    pub(super) fn entry(&self, assistant: &str, revision: &str) -> Entry {
        let ids = |parts: &[Part]| {
            let known = parts.iter().filter_map(|part| Some((part.name.clone(), part.id.clone()?)));
            known.collect()
        };
        Entry {
            assistant_id: assistant.to_owned(),
            revision: revision.to_owned(),
            instructions: ids(&self.instructions),
            triggers: ids(&self.triggers),
        }
    }

    /// The name of a file by its path in a request: `instructions.0` is `instructions/refunds.md`.
    pub(super) fn place(&self, path: &str) -> String {
        let path = path.strip_prefix("definition.").unwrap_or(path);
        let mut steps = path.splitn(3, '.');
        let (list, index, field) =
            (steps.next().unwrap_or_default(), steps.next().unwrap_or_default(), steps.next());
        let (parts, ending) = match list {
            "instructions" => (&self.instructions, "md"),
            "triggers" => (&self.triggers, "toml"),
            "assistant" => {
                let rest = path.strip_prefix("assistant.").unwrap_or_default();
                return if rest == PROMPT {
                    "prompt.md:".to_owned()
                } else {
                    format!("assistant.toml: {rest}")
                };
            }
            _ => return format!("assistant.toml: {path}"),
        };
        match index.parse().ok().and_then(|index: usize| parts.get(index)) {
            Some(part) => format!("{list}/{}.{ending}: {}", part.name, field.unwrap_or_default()),
            None => format!("{list}: {path}"),
        }
    }
}

fn newer(strange: &str) -> Error {
    Error::Invalid(format!(
        "the server knows {strange:?} of assistants, which this command does not. Use a version of frontdesk that is as new as \
         the server, so that a push loses nothing"
    ))
}

/// The fields of a resource that files have, with texts as files have them.
fn fields_of(resource: &Value) -> Result<Map<String, Value>> {
    let Value::Object(fields) = resource else {
        return Err(Error::Invalid("the server's definition is not as it should be".to_owned()));
    };
    let kept = fields.iter().filter(|(name, _)| !NOT_IN_FILES.contains(&name.as_str()));
    let kept = kept.map(|(name, value)| match value {
        Value::String(text) => (name.clone(), json!(text.replace("\r\n", "\n").trim())),
        other => (name.clone(), other.clone()),
    });
    Ok(kept.collect())
}

fn align(local: &mut [Part], remote: &mut [Part], title: &str) {
    for part in local.iter_mut() {
        part.id = remote.iter().find(|other| other.name == part.name).and_then(|other| other.id.clone());
    }
    for at in 0..local.len() {
        if local[at].id.is_some() {
            continue;
        }
        let is_taken = |other: &Part| local.iter().any(|part| part.id == other.id || part.name == other.name);
        let same = remote
            .iter()
            .position(|other| other.fields.get(title) == local[at].fields.get(title) && !is_taken(other));
        if let Some(same) = same {
            local[at].id.clone_from(&remote[same].id);
            remote[same].name.clone_from(&local[at].name);
        }
    }
}
