//! Changes of JSON that leave it well formed, so that inputs get past the parser into what reads its values.

use serde_json::{Map, Number, Value, json};

use crate::dice::Dice;

/// How deep a value is nested into itself.
const DEPTH_MAX: usize = 140;

/// The input with one of its values changed; none if it is not JSON, or is a single value.
pub(crate) fn change(input: &[u8], words: &[Vec<u8>], dice: &mut Dice) -> Option<Vec<u8>> {
    if !matches!(input.first()?, b'{' | b'[') {
        return None;
    }
    let mut value: Value = serde_json::from_slice(input).ok()?;
    let mut left = dice.roll(count(&value));
    visit(&mut value, &mut left, &mut |place| *place = replaced(place.take(), words, dice));
    serde_json::to_vec(&value).ok()
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Calls `change` with the value that is `left` values further on.
fn visit(value: &mut Value, left: &mut usize, change: &mut dyn FnMut(&mut Value)) -> bool {
    if *left == 0 {
        change(value);
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| visit(item, left, change)),
        Value::Object(members) => members.values_mut().any(|member| visit(member, left, change)),
        _ => false,
    }
}

fn replaced(value: Value, words: &[Vec<u8>], dice: &mut Dice) -> Value {
    match (dice.roll(8), value) {
        (0, Value::Array(mut items)) if !items.is_empty() => {
            let item = items[dice.roll(items.len())].clone();
            items.extend(vec![item; 1 << dice.roll(8)]);
            items.into()
        }
        (0 | 1, Value::Object(members)) => rename(members, words, dice),
        (1, Value::Array(mut items)) if !items.is_empty() => {
            items.remove(dice.roll(items.len()));
            items.into()
        }
        (2, value) => {
            let depth = dice.length(DEPTH_MAX);
            (0..depth).fold(value, |inner, _| json!([inner]))
        }
        (3, Value::String(text)) => text.repeat(1 << dice.roll(10)).into(),
        (4, Value::String(text)) => json!({ text: true }),
        (5, value) => json!([value]),
        _ => leaf(words, dice),
    }
}

/// Moves a member to another name, or removes it.
fn rename(mut members: Map<String, Value>, words: &[Vec<u8>], dice: &mut Dice) -> Value {
    let names: Vec<String> = members.keys().cloned().collect();
    if let Some(name) = names.get(dice.roll(names.len())) {
        let moved = members.remove(name).unwrap_or_default();
        if !dice.one_in(3) {
            members.insert(word(words, dice), moved);
        }
    }
    members.into()
}

fn leaf(words: &[Vec<u8>], dice: &mut Dice) -> Value {
    match dice.roll(9) {
        0 => Value::Null,
        1 => dice.one_in(2).into(),
        2 => (dice.number() as i64).into(),
        3 => (dice.roll(4) as i64 - 1).into(),
        4 => Number::from_f64(f64::from_bits(dice.number())).map_or(Value::Null, Value::Number),
        5 => json!([]),
        6 => json!({}),
        _ => word(words, dice).into(),
    }
}

fn word(words: &[Vec<u8>], dice: &mut Dice) -> String {
    if words.is_empty() {
        return String::new();
    }
    let word: &Vec<u8> = dice.pick(words);
    String::from_utf8_lossy(word).trim_matches('"').to_owned()
}
