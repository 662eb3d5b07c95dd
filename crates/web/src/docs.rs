//! The reference page, rendered from the OpenAPI document.
//!
//! It needs no script and loads nothing. Everything from the document is escaped.

mod entry;
mod example;
mod fields;
mod html;
mod operation;

use serde_json::Value;

use entry::Entry;
use html::Html;

const STYLE: &str = include_str!("docs/style.css");
const INTRODUCTION: &str = include_str!("docs/introduction.html");

/// The sections of the introduction, for the navigation.
const SECTIONS: &[(&str, &str)] = &[
    ("authentication", "Authentication"),
    ("responses", "Responses"),
    ("errors", "Errors"),
    ("pagination", "Pagination"),
    ("idempotency", "Idempotency"),
    ("limits", "Limits"),
];

/// The placeholder of the server's address in the introduction.
const SERVER_MARK: &str = "SERVER_URL";
/// The heading of operations without a tag.
const UNTAGGED: &str = "Other";

/// Renders the page, with a link to the interactive reference if there is one.
pub fn page(document: &Value, interactive: Option<&str>) -> String {
    let title = document["info"]["title"].as_str().unwrap_or("API");
    let groups = groups(document);
    let mut html = Html::default();
    html.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        .element("title", title)
        .raw("<style>")
        .raw(STYLE)
        .raw("</style></head>\n<body>");
    navigation(&mut html, title, &groups, document);
    html.raw("\n<main><header>").element("h1", title);
    html.prose(document["info"]["description"].as_str().unwrap_or_default());
    html.raw("<p>This server: <code>").text(server(document)).raw("</code>. ");
    html.raw("OpenAPI document: <a href=\"/openapi.json\">openapi.json</a>.</p>");
    if let Some(path) = interactive {
        html.raw("<p class=\"interactive\"><a href=\"")
            .text(path)
            .raw("\">Open the interactive reference</a>");
        html.raw(" to search, to send requests with your key, and to copy samples for many languages. ");
        html.raw("It needs JavaScript and loads more than a megabyte.</p>");
    }
    html.raw("</header>\n");
    introduction(&mut html, document);
    for (tag, entries) in &groups {
        html.raw("\n<section class=\"tag\" id=\"").text(&anchor("tag", tag)).raw("\">").element("h2", tag);
        for entry in entries {
            operation::render(&mut html, document, entry);
        }
        html.raw("</section>");
    }
    objects(&mut html, document);
    html.raw("</main></body></html>\n");
    html.finish()
}

/// The address of the server that the document describes.
fn server(document: &Value) -> &str {
    document["servers"][0]["url"].as_str().unwrap_or("/")
}

/// The introduction, with the server's own address in its samples.
fn introduction(html: &mut Html, document: &Value) {
    let (before, after) = INTRODUCTION.split_once(SERVER_MARK).unwrap_or((INTRODUCTION, ""));
    html.raw(before).text(server(document)).raw(after);
}

/// The operations under their tags, in the document's order of tags.
fn groups(document: &Value) -> Vec<(&str, Vec<Entry<'_>>)> {
    let named = document["tags"].as_array().into_iter().flatten().filter_map(|tag| tag["name"].as_str());
    let mut groups: Vec<(&str, Vec<Entry<'_>>)> = named.map(|name| (name, Vec::new())).collect();
    for entry in entry::entries(document) {
        let tag = entry.operation["tags"][0].as_str().unwrap_or(UNTAGGED);
        match groups.iter_mut().find(|(name, _)| *name == tag) {
            Some((_, entries)) => entries.push(entry),
            None => groups.push((tag, vec![entry])),
        }
    }
    groups
}

fn navigation(html: &mut Html, title: &str, groups: &[(&str, Vec<Entry<'_>>)], document: &Value) {
    html.raw("<nav><strong>").text(title).raw("</strong><ul>");
    for (id, name) in SECTIONS {
        html.raw("<li>").link(id, name).raw("</li>");
    }
    html.raw("</ul>");
    for (tag, entries) in groups {
        html.raw("<details open><summary>").link(&anchor("tag", tag), tag).raw("</summary><ul>");
        for entry in entries {
            html.raw("<li><a href=\"#").text(&entry.anchor()).raw("\">");
            operation::method(html, entry.method);
            html.text(entry.title()).raw("</a></li>");
        }
        html.raw("</ul></details>");
    }
    html.raw("<details><summary>").link("objects", "Objects").raw("</summary><ul>");
    for (name, _) in document["components"]["schemas"].as_object().into_iter().flatten() {
        html.raw("<li>").link(&anchor("object", name), name).raw("</li>");
    }
    html.raw("</ul></details></nav>");
}

/// Every named schema, where the fields of operations link to.
fn objects(html: &mut Html, document: &Value) {
    html.raw("\n<section id=\"objects\"><h2>Objects</h2>");
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        html.raw("<article id=\"").text(&anchor("object", name)).raw("\">").element("h3", name);
        html.prose(schema["description"].as_str().unwrap_or_default());
        fields::render(html, document, schema);
        html.raw("</article>");
    }
    html.raw("</section>");
}

fn anchor(kind: &str, name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    format!("{kind}-{name}")
}

#[cfg(test)]
mod tests;
