//! One operation on the page.

use serde_json::Value;

use super::entry::Entry;
use super::example;
use super::fields::{self, resolve};
use super::html::Html;

pub(super) fn method(html: &mut Html, method: &str) {
    html.raw("<span class=\"method ").text(method).raw("\">").text(&method.to_uppercase()).raw("</span> ");
}

pub(super) fn render(html: &mut Html, document: &Value, entry: &Entry<'_>) {
    let operation = entry.operation;
    html.raw("\n<article id=\"").text(&entry.anchor()).raw("\">").element("h3", entry.title());
    html.raw("<p class=\"address\">");
    method(html, entry.method);
    html.element("code", entry.path).raw("</p>");
    badges(html, entry);
    html.prose(operation["description"].as_str().unwrap_or_default());
    parameters(html, document, operation);
    let body = &operation["requestBody"];
    if body.is_object() {
        let optional = if body["required"] == true { "" } else { " (may be left out)" };
        html.raw("<h4>Body").raw(optional).raw("</h4>");
        fields::render(html, document, &body["content"]["application/json"]["schema"]);
    }
    responses(html, document, operation);
    html.raw("<h4>Example</h4><pre>").text(&example::curl(document, entry)).raw("</pre></article>");
}

fn badges(html: &mut Html, entry: &Entry<'_>) {
    html.raw("<ul class=\"badges\">");
    if let Some(scope) = entry.operation["x-scope"].as_str() {
        html.raw("<li>scope ").element("code", scope).raw("</li>");
    }
    match entry.operation["x-units"].as_u64() {
        Some(1) => {
            html.raw("<li>1 unit</li>");
        }
        Some(units) => {
            html.raw("<li>").text(&units.to_string()).raw(" units</li>");
        }
        None => {}
    }
    if entry.is_idempotent() {
        html.raw("<li>").link("idempotency", "idempotent").raw("</li>");
    }
    html.raw("</ul>");
}

fn parameters(html: &mut Html, document: &Value, operation: &Value) {
    let Some(parameters) = operation["parameters"].as_array().filter(|parameters| !parameters.is_empty())
    else {
        return;
    };
    html.raw("<h4>Parameters</h4><table><thead><tr><th>Name<th>In<th>Type<th>Meaning</tr></thead><tbody>");
    for parameter in parameters.iter().map(|parameter| resolve(document, parameter)) {
        html.raw("<tr><td>").element("code", parameter["name"].as_str().unwrap_or_default());
        html.raw("<td>").text(parameter["in"].as_str().unwrap_or_default()).raw("<td>");
        fields::kind(html, &parameter["schema"]);
        html.raw("<td>").inline(parameter["description"].as_str().unwrap_or_default()).raw("</tr>");
    }
    html.raw("</tbody></table>");
}

fn responses(html: &mut Html, document: &Value, operation: &Value) {
    html.raw("<h4>Answers</h4>");
    let (fine, failed): (Vec<_>, Vec<_>) = operation["responses"]
        .as_object()
        .into_iter()
        .flatten()
        .partition(|(status, _)| status.starts_with('2'));
    for (status, response) in fine {
        let body = resolve(document, &response["content"]["application/json"]["schema"]);
        let data = &body["properties"]["data"];
        html.raw("<p>").element("strong", status);
        if data.is_object() {
            html.raw(" with ").element("code", "data").raw(": ");
            fields::kind(html, data);
        }
        html.raw("</p>");
        let row = if data["items"].is_object() { &data["items"] } else { data };
        if resolve(document, row)["properties"].is_object() {
            html.raw("<details><summary>Fields</summary>");
            fields::render(html, document, row);
            html.raw("</details>");
        }
    }
    if !failed.is_empty() {
        html.raw("<p class=\"failures\">").link("errors", "Fails").raw(" with");
        for (status, response) in failed {
            let description = resolve(document, response)["description"].as_str().unwrap_or_default();
            html.raw(" <span title=\"").text(description).raw("\">").text(status).raw("</span>");
        }
        html.raw("</p>");
    }
}
