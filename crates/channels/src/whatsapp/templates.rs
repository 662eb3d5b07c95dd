//! The account's templates: their list, and reports about one.

use serde_json::{Value, json};

use super::WhatsApp;
use crate::call::{Call, Refusal, VendorResponse};
use crate::incoming::Incoming;
use crate::template::{Template, TemplatePage};
use crate::{graph, reading};

/// The page size.
const PAGE_ITEMS: &str = "100";
const FIELDS: &str = "id,name,language,category,status,parameter_format,components";

impl WhatsApp {
    /// The call for one page of the templates.
    pub fn templates(&self, after: Option<&str>) -> Call {
        let mut query = vec![("limit", PAGE_ITEMS), ("fields", FIELDS)];
        query.extend(after.map(|after| ("after", after)));
        self.graph.get(&[&self.waba_id, "message_templates"], &query)
    }

    /// Parses the response to that call.
    pub fn templates_listed(&self, response: &VendorResponse<'_>) -> Result<TemplatePage, Refusal> {
        let body = self.graph.read(response)?;
        if !body["data"].is_array() {
            return Err(graph::unexpected(response, "data"));
        }
        // The last page has a cursor too; only `next` says that there is another page.
        let paging = &body["paging"];
        let after = reading::text(paging, "next").and_then(|_| reading::text(&paging["cursors"], "after"));
        Ok(TemplatePage {
            templates: reading::items(&body, "data").iter().filter_map(template).collect(),
            after,
        })
    }
}

fn template(item: &Value) -> Option<Template> {
    let components = &item["components"];
    Some(Template {
        channel_template_id: reading::text(item, "id"),
        name: reading::text(item, "name")?,
        language: reading::text(item, "language")?,
        category: reading::text(item, "category").unwrap_or_default(),
        // A template with an unknown status must not be sent.
        status: item["status"].as_str().and_then(status).unwrap_or("DISABLED").to_owned(),
        named: item["parameter_format"].as_str().is_some_and(|format| format.eq_ignore_ascii_case("named")),
        components: if components.is_array() { components.clone() } else { json!([]) },
    })
}

/// A report about one template; none if it does not concern whether the template can be sent.
pub(super) fn changed(value: &Value) -> Option<Incoming> {
    Some(Incoming::TemplateChanged {
        name: reading::text(value, "message_template_name")?,
        language: reading::text(value, "message_template_language")?,
        status: value["event"].as_str().and_then(status)?.to_owned(),
    })
}

/// Maps the vendor's many statuses to the five that matter.
fn status(word: &str) -> Option<&'static str> {
    Some(match word {
        // A flagged template has a warning and can still be sent.
        "APPROVED" | "REINSTATED" | "FLAGGED" => "APPROVED",
        "PENDING" | "IN_APPEAL" => "PENDING",
        "REJECTED" => "REJECTED",
        "PAUSED" | "LOCKED" => "PAUSED",
        "DISABLED" | "DELETED" | "PENDING_DELETION" | "ARCHIVED" => "DISABLED",
        _ => return None,
    })
}
