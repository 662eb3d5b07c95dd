//! The fields of a schema as a table, and a short description of its type.

use serde_json::Value;

use super::anchor;
use super::html::Html;

/// The schema that a reference points to, or the schema itself.
pub(super) fn resolve<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    schema["$ref"]
        .as_str()
        .and_then(|reference| document.pointer(reference.strip_prefix('#')?))
        .unwrap_or(schema)
}

fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

/// Renders a schema: its fields, its allowed strings, or its variants.
pub(super) fn render(html: &mut Html, document: &Value, schema: &Value) {
    let schema = resolve(document, schema);
    if let Some(properties) = schema["properties"].as_object() {
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
        };
        html.raw("<table><thead><tr><th>Field<th>Type<th>Meaning</tr></thead><tbody>");
        for (name, field) in properties {
            let mark = if required(name) { "" } else { "<span class=\"optional\">optional</span>" };
            html.raw("<tr><td>").element("code", name).raw(mark).raw("<td>");
            kind(html, field);
            html.raw("<td>").inline(field["description"].as_str().unwrap_or_default()).raw("</tr>");
        }
        html.raw("</tbody></table>");
    } else if let Some(shapes) = schema["oneOf"].as_array() {
        html.raw("<p>One of:</p><ul>");
        let discriminator = &schema["discriminator"];
        for shape in shapes {
            html.raw("<li>");
            kind(html, shape);
            let words = discriminator["mapping"].as_object().into_iter().flatten();
            for (word, _) in words.filter(|(_, reference)| **reference == shape["$ref"]) {
                html.raw(" with ")
                    .element("code", discriminator["propertyName"].as_str().unwrap_or_default());
                html.raw(" ").element("code", word);
            }
            html.raw("</li>");
        }
        html.raw("</ul>");
    } else {
        html.raw("<p>");
        kind(html, schema);
        html.raw("</p>");
    }
}

/// A short description of a schema's type, with links to referenced schemas.
pub(super) fn kind(html: &mut Html, schema: &Value) {
    if let Some(name) = referred(schema) {
        html.link(&anchor("object", name), name);
    } else if let Some(words) = schema["enum"].as_array() {
        for (at, word) in words.iter().enumerate() {
            html.raw(if at == 0 { "" } else { " · " }).element("code", word.as_str().unwrap_or_default());
        }
    } else if let Some(word) = schema["const"].as_str() {
        html.element("code", word);
    } else if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        for (at, choice) in choices.iter().enumerate() {
            html.raw(if at == 0 { "" } else { " or " });
            kind(html, choice);
        }
    } else if let Some(parts) = schema["allOf"].as_array() {
        shape(html, parts);
    } else {
        plain(html, schema);
    }
}

/// One variant of several: the name of its tag, and the tag's values.
fn shape(html: &mut Html, parts: &[Value]) {
    for part in parts.iter().filter(|part| referred(part).is_some()) {
        kind(html, part);
    }
    for (name, tag) in parts.iter().filter_map(|part| part["properties"].as_object()).flatten() {
        html.raw(" with ").element("code", name).raw(" ");
        kind(html, tag);
    }
}

fn plain(html: &mut Html, schema: &Value) {
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    // "or null" comes last, after the description of the other type.
    let nullable = kinds.len() > 1 && kinds.contains(&"null");
    for (at, name) in kinds.iter().filter(|kind| !nullable || **kind != "null").enumerate() {
        html.raw(if at == 0 { "" } else { " or " });
        match (*name, &schema["items"], &schema["additionalProperties"]) {
            ("array", items, _) if items.is_object() => {
                html.raw("list of ");
                kind(html, items);
            }
            ("object", _, values) if values.is_object() => {
                html.raw("map to ");
                kind(html, values);
            }
            _ => {
                html.text(name);
            }
        }
    }
    if let Some(format) = schema["format"].as_str().filter(|format| !format.starts_with("int")) {
        html.text(&format!(" ({format})"));
    }
    bounds(html, schema);
    if nullable {
        html.raw(" or null");
    }
}

fn bounds(html: &mut Html, schema: &Value) {
    for (name, before, after) in [
        ("maxLength", " up to ", " characters"),
        ("maxItems", ", up to ", " items"),
        ("maxProperties", ", up to ", " entries"),
        ("minimum", " from ", ""),
        ("maximum", " to ", ""),
        ("default", ", default ", ""),
    ] {
        if !schema[name].is_null() {
            html.text(&format!("{before}{}{after}", schema[name]));
        }
    }
}
