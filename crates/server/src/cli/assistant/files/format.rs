//! The format of the files: an assistant written as files, and read from them.
//!
//! `assistant.toml` has the settings, `prompt.md` the system prompt, `instructions/NAME.md` a text each under its title, and
//! `triggers/NAME.toml` a trigger each. What is written reads back as it was.

use serde_json::{Map, Value, json};
use toml::Table;

use super::content::{Content, Part};
use super::directory::{Files, INSTRUCTIONS, PROMPT, SETTINGS, TRIGGERS};
use super::fields;
use crate::error::{Error, Result};

const HEAD: &str = "# An assistant. `frontdesk assistant push` brings it to a server.\n";
const HISTORY_LIMIT: &str = "history_limit";
/// A history limit of none. TOML has no null.
const WHOLE_HISTORY: &str = "all";

/// An assistant as files.
pub(super) fn write(content: &Content) -> Result<Files> {
    let mut files = Files::new();
    let mut settings = content.settings.clone();
    let prompt = settings.remove(fields::PROMPT);
    let prompt = prompt.as_ref().and_then(Value::as_str).unwrap_or_default();
    files.insert(PROMPT.to_owned(), if prompt.is_empty() { String::new() } else { format!("{prompt}\n") });
    if settings.get(HISTORY_LIMIT) == Some(&Value::Null) {
        settings.insert(HISTORY_LIMIT.to_owned(), json!(WHOLE_HISTORY));
    }
    let names = content.instructions.iter().map(|part| json!(part.name)).collect();
    settings.insert(fields::INSTRUCTIONS.to_owned(), names);
    files.insert(SETTINGS.to_owned(), format!("{HEAD}\n{}", toml_of(&settings, fields::SETTINGS)?));
    for part in &content.instructions {
        let text = |name: &str| part.fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let text = format!("# {}\n\n{}\n", title(text("title")), text("body"));
        files.insert(format!("{INSTRUCTIONS}/{}.md", part.name), text);
    }
    for part in &content.triggers {
        files.insert(format!("{TRIGGERS}/{}.toml", part.name), toml_of(&part.fields, fields::TRIGGER)?);
    }
    Ok(files)
}

/// A title on one line. One that would not read back as it is, is written as JSON.
fn title(title: &str) -> String {
    if title.starts_with('"') || title.chars().any(char::is_control) || title.trim() != title {
        Value::String(title.to_owned()).to_string()
    } else {
        title.to_owned()
    }
}

/// Fields as TOML, in this order. Fields that are null are left out.
fn toml_of(fields: &Map<String, Value>, order: &[&str]) -> Result<String> {
    let mut table = Table::new();
    for name in order {
        table.extend(fields.get(*name).and_then(to_toml).map(|value| ((*name).to_owned(), value)));
    }
    toml::to_string_pretty(&table).map_err(|error| Error::Invalid(format!("this makes no TOML: {error}")))
}

fn to_toml(value: &Value) -> Option<toml::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(is) => toml::Value::Boolean(*is),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => toml::Value::Integer(whole),
            None => toml::Value::Float(number.as_f64()?),
        },
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Array(items) => toml::Value::Array(items.iter().filter_map(to_toml).collect()),
        Value::Object(fields) => toml::Value::Table(
            fields.iter().filter_map(|(name, value)| Some((name.clone(), to_toml(value)?))).collect(),
        ),
    })
}

/// The assistant that files say.
pub(super) fn read(files: &Files) -> Result<Content> {
    let Some(settings) = files.get(SETTINGS) else {
        return Err(Error::Invalid(format!(
            "there is no {SETTINGS} here. Name the directory of an assistant, or make one with `frontdesk assistant pull`"
        )));
    };
    let mut settings = table(SETTINGS, settings)?;
    fields::check_settings(SETTINGS, &settings)?;
    let names = settings.remove(fields::INSTRUCTIONS);
    let unconfined = settings.remove("unconfined_tools");
    let mut assistant = to_json(SETTINGS, settings)?;
    if assistant.get(HISTORY_LIMIT).is_some_and(|limit| limit == WHOLE_HISTORY) {
        assistant[HISTORY_LIMIT] = Value::Null;
    }
    let prompt = files.get(PROMPT).map(|prompt| prompt.trim()).filter(|prompt| !prompt.is_empty());
    assistant[fields::PROMPT] = json!(prompt);
    let names = listed(files, names)?;
    let texts = names.iter().map(|name| instruction(files, name)).collect::<Result<Vec<Value>>>()?;
    let (mut triggers, mut trigger_names) = (Vec::new(), Vec::new());
    for (path, text) in files.iter().filter(|(path, _)| path.starts_with(TRIGGERS)) {
        let fields = table(path, text)?;
        fields::check(path, &fields, fields::TRIGGER)?;
        triggers.push(to_json(path, fields)?);
        trigger_names.push(stem(path).to_owned());
    }
    let unconfined = unconfined.map(|tools| json_of(SETTINGS, tools)).transpose()?;
    let body = json!({
        "assistant": assistant, "unconfined_tools": unconfined, "instructions": texts, "triggers": triggers,
    });
    Content::of_body(&body, names.clone(), trigger_names.clone()).map_err(|problems| {
        let nameless = |names: &[String]| names.iter().map(|name| part(name)).collect();
        let places = Content {
            settings: Map::new(),
            instructions: nameless(&names),
            triggers: nameless(&trigger_names),
        };
        let lines: Vec<String> =
            problems.iter().map(|(path, message)| format!("\n  {} {message}", places.place(path))).collect();
        Error::Invalid(format!("the files are not right:{}", lines.concat()))
    })
}

fn part(name: &str) -> Part {
    Part { name: name.to_owned(), id: None, fields: Map::new() }
}

/// The names of the instructions in `assistant.toml`: each is a file, and each file is named once.
fn listed(files: &Files, names: Option<toml::Value>) -> Result<Vec<String>> {
    let wrong = |why: String| Err(Error::Invalid(format!("{SETTINGS}: instructions {why}")));
    let names = names.unwrap_or_else(|| toml::Value::Array(Vec::new()));
    let Some(names) = names.as_array() else {
        return wrong("must be a list of the names of files in instructions/".to_owned());
    };
    let mut listed: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let Some(name) = name.as_str() else { return wrong("must be a list of names".to_owned()) };
        if !files.contains_key(&format!("{INSTRUCTIONS}/{name}.md")) {
            return wrong(format!("names {name:?}, and there is no file {INSTRUCTIONS}/{name}.md"));
        }
        if listed.iter().any(|other| other == name) {
            return wrong(format!("names {name:?} twice"));
        }
        listed.push(name.to_owned());
    }
    let in_files = files.keys().filter(|path| path.starts_with(INSTRUCTIONS));
    let forgotten = in_files.map(|path| stem(path)).find(|name| !listed.iter().any(|other| other == name));
    match forgotten {
        Some(name) => wrong(format!("does not name {name:?}. Add it, or delete {INSTRUCTIONS}/{name}.md")),
        None => Ok(listed),
    }
}

fn instruction(files: &Files, name: &str) -> Result<Value> {
    let path = format!("{INSTRUCTIONS}/{name}.md");
    let text = files.get(&path).map(|text| text.trim_start()).unwrap_or_default();
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let Some(title) = first.strip_prefix("# ").map(str::trim) else {
        return Err(Error::Invalid(format!("{path}: the first line must be the title, such as `# Refunds`")));
    };
    let title = match serde_json::from_str(title) {
        Ok(Value::String(written)) => written,
        _ => title.to_owned(),
    };
    Ok(json!({ "title": title, "body": body.trim() }))
}

/// A file's name without its directory and ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The table that a file in TOML is.
pub(super) fn table(path: &str, text: &str) -> Result<Table> {
    text.parse().map_err(|error: toml::de::Error| {
        Error::Invalid(format!("{path} is no TOML: {}", error.to_string().trim_end()))
    })
}

pub(super) fn to_json(path: &str, table: Table) -> Result<Value> {
    json_of(path, toml::Value::Table(table))
}

fn json_of(path: &str, value: toml::Value) -> Result<Value> {
    Ok(match value {
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) if number.is_finite() => json!(number),
        toml::Value::Float(_) => return Err(Error::Invalid(format!("{path}: a number must be finite"))),
        toml::Value::Boolean(is) => json!(is),
        toml::Value::Datetime(time) => json!(time.to_string()),
        toml::Value::Array(items) => {
            items.into_iter().map(|item| json_of(path, item)).collect::<Result<Value>>()?
        }
        toml::Value::Table(table) => {
            let fields = table.into_iter().map(|(name, value)| Ok((name, json_of(path, value)?)));
            Value::Object(fields.collect::<Result<Map<String, Value>>>()?)
        }
    })
}

#[cfg(test)]
mod tests;
