//! Which column goes where, as a file: the dashboard's mapping of columns to fields, by their headings.
//!
//! ```json
//! { "kind": "contacts", "match_by": "phone", "country": "DE",
//!   "columns": { "Vorname": "first_name", "Telefon": "phone", "Tarif": "field:Plan" } }
//! ```

use std::collections::BTreeMap;

use frontdesk_crm::desk::MatchBy;
use frontdesk_kernel::Country;
use serde::{Deserialize, Serialize};

/// What the rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    #[default]
    Contacts,
    Deals,
    Notes,
}

/// How people call the columns of contacts.
const NAMES: &[(&str, &[&str])] = &[
    ("name", &["name", "full name", "contact", "display name", "vollständiger name", "kontakt"]),
    ("first_name", &["first name", "given name", "firstname", "vorname"]),
    ("last_name", &["last name", "family name", "surname", "lastname", "nachname"]),
    (
        "phone",
        &[
            "phone",
            "phone number",
            "mobile",
            "mobile phone",
            "cell",
            "whatsapp",
            "telefon",
            "telefonnummer",
            "handy",
            "mobil",
            "phone 1 - value",
        ],
    ),
    ("email", &["email", "e-mail", "email address", "mail", "e-mail-adresse", "e-mail 1 - value"]),
    ("company", &["company", "organisation", "organization", "account", "firma", "unternehmen"]),
    ("tags", &["tags", "tag", "labels", "label", "groups", "schlagwörter", "etiketten"]),
];
const DEAL_TARGETS: &[&str] = &[
    "id",
    "title",
    "value",
    "currency",
    "pipeline",
    "stage",
    "status",
    "lost_reason",
    "contact_phone",
    "contact_email",
    "owner_email",
    "expected_close_date",
];
const NOTE_TARGETS: &[&str] = &["id", "body", "contact_phone", "contact_email", "author_email", "created_at"];
const FIELD: &str = "field:";
const SKIP: &str = "skip";

impl Kind {
    fn targets(self) -> Vec<&'static str> {
        match self {
            Self::Contacts => NAMES.iter().map(|(target, _)| *target).collect(),
            Self::Deals => DEAL_TARGETS.to_vec(),
            Self::Notes => NOTE_TARGETS.to_vec(),
        }
    }
}

/// A mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mapping {
    #[serde(default)]
    pub(crate) kind: Kind,
    /// `phone` or `email`: what finds the contact to update.
    #[serde(default = "phone")]
    match_by: String,
    /// False leaves contacts that are there as they are.
    #[serde(default = "yes")]
    pub(crate) update_existing: bool,
    /// The country of numbers without a country code; the account's when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    /// What stands before the decimals of values: a point or a comma. The other one groups digits.
    #[serde(default = "point")]
    decimal: String,
    /// Where each column goes, by its heading. A column that is not named is skipped.
    pub(crate) columns: BTreeMap<String, String>,
}

fn phone() -> String {
    MatchBy::Phone.as_str().to_owned()
}

fn yes() -> bool {
    true
}

fn point() -> String {
    ".".to_owned()
}

impl Mapping {
    /// Reads a mapping, and says what is wrong with it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mapping: Self =
            serde_json::from_str(text).map_err(|error| format!("the mapping cannot be read: {error}"))?;
        mapping.match_by()?;
        mapping.country()?;
        if !matches!(mapping.decimal.as_str(), "." | ",") {
            return Err("the mapping's decimal must be \".\" or \",\"".to_owned());
        }
        let known = mapping.kind.targets();
        for (heading, target) in &mapping.columns {
            let is_field =
                mapping.kind == Kind::Contacts && target.starts_with(FIELD) && target.len() > FIELD.len();
            if !(is_field || target == SKIP || known.contains(&target.as_str())) {
                let more = if mapping.kind == Kind::Contacts { ", field:NAME" } else { "" };
                return Err(format!(
                    "the column {heading:?} goes to {target:?}, which there is not: use {}{more} or {SKIP}",
                    known.join(", ")
                ));
            }
        }
        let mut targets: Vec<&String> = mapping.columns.values().filter(|target| *target != SKIP).collect();
        targets.sort();
        if let Some([twice, ..]) = targets.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("more than one column goes to {twice:?}"));
        }
        Ok(mapping)
    }

    /// A mapping of contacts by the headings of a file. Each target is taken once.
    pub(crate) fn guess(headings: &[String], fields: &[String]) -> Self {
        let mut columns = BTreeMap::new();
        for heading in headings {
            let word = heading.trim().to_lowercase().replace('_', " ");
            let fixed = NAMES.iter().find(|(_, names)| names.contains(&word.as_str()));
            let field = fields.iter().find(|field| field.to_lowercase() == word);
            let target = fixed
                .map(|(target, _)| (*target).to_owned())
                .or_else(|| field.map(|name| format!("{FIELD}{name}")));
            let target = target.filter(|target| !columns.values().any(|taken| taken == target));
            columns.insert(heading.clone(), target.unwrap_or_else(|| SKIP.to_owned()));
        }
        Self {
            kind: Kind::Contacts,
            match_by: phone(),
            update_existing: true,
            country: None,
            decimal: point(),
            columns,
        }
    }

    pub(crate) fn match_by(&self) -> Result<MatchBy, String> {
        self.match_by.parse().map_err(|_| "the mapping's match_by must be phone or email".to_owned())
    }

    pub(crate) fn country(&self) -> Result<Option<Country>, String> {
        let parsed = self.country.as_deref().map(str::parse).transpose();
        parsed.map_err(|_| "the mapping's country must be a code such as DE".to_owned())
    }

    /// A value of money as the file writes it, as a plain decimal number.
    pub(crate) fn plain_number(&self, written: &str) -> String {
        let group = if self.decimal == "," { '.' } else { ',' };
        let kept = written.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-'));
        let kept: String = kept.filter(|c| *c != group).collect();
        kept.replace(',', ".")
    }

    /// The target of each column. A heading of the mapping that the file does not have is an error.
    pub(crate) fn targets(&self, headings: &[String]) -> Result<Vec<Option<String>>, String> {
        let missing = self
            .columns
            .keys()
            .find(|wanted| !headings.iter().any(|heading| heading.trim() == wanted.trim()));
        if let Some(missing) = missing {
            return Err(format!(
                "the file has no column {missing:?}; its columns are {}",
                headings.join(", ")
            ));
        }
        let target = |heading: &String| {
            let found = self.columns.iter().find(|(wanted, _)| wanted.trim() == heading.trim());
            found.map(|(_, target)| target.clone()).filter(|target| target != SKIP)
        };
        Ok(headings.iter().map(target).collect())
    }
}

/// The custom field that a target names.
pub(super) fn field_of(target: &str) -> Option<&str> {
    target.strip_prefix(FIELD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_says_what_is_wrong_with_it() {
        for (text, part) in [
            ("{", "cannot be read"),
            ("{\"columns\": {}, \"colour\": 1}", "colour"),
            ("{\"columns\": {\"A\": \"nose\"}}", "field:NAME"),
            ("{\"kind\": \"deals\", \"columns\": {\"A\": \"field:Plan\"}}", "expected_close_date"),
            ("{\"columns\": {\"A\": \"name\", \"B\": \"name\"}}", "more than one"),
            ("{\"columns\": {}, \"country\": \"XX\"}", "such as DE"),
            ("{\"columns\": {}, \"match_by\": \"name\"}", "phone or email"),
            ("{\"columns\": {}, \"decimal\": \"'\"}", "decimal"),
        ] {
            let said = Mapping::read(text).unwrap_err();
            assert!(said.contains(part), "{text} said {said}");
        }
        let mapping =
            Mapping::read("{\"columns\": {\"A\": \"skip\", \"B\": \"skip\", \"Tel\": \"phone\"}}").unwrap();
        assert!(mapping.targets(&["A".into()]).unwrap_err().contains("\"B\""));
        let targets = mapping.targets(&["Tel ".into(), "B".into(), "A".into(), "C".into()]).unwrap();
        assert_eq!(targets, [Some("phone".to_owned()), None, None, None]);
    }

    #[test]
    fn a_mapping_is_guessed_from_headings_and_reads_back() {
        let headings: Vec<String> =
            ["Vorname", "Mobile", "Telefon", "plan", "Shoe"].map(ToOwned::to_owned).into();
        let guessed = Mapping::guess(&headings, &["Plan".to_owned()]);
        let target = |heading: &str| guessed.columns[heading].clone();
        assert_eq!((target("Vorname"), target("Mobile")), ("first_name".into(), "phone".into()));
        assert_eq!(
            (target("Telefon"), target("plan"), target("Shoe")),
            ("skip".into(), "field:Plan".into(), "skip".into())
        );
        assert_eq!(Mapping::read(&serde_json::to_string(&guessed).unwrap()), Ok(guessed));
    }

    #[test]
    fn amounts_are_read_as_they_are_written() {
        let mut mapping = Mapping { decimal: point(), ..Mapping::default() };
        assert_eq!(mapping.plain_number("$ 1,234.50"), "1234.50");
        mapping.decimal = ",".to_owned();
        assert_eq!(mapping.plain_number("1.234,50 €"), "1234.50");
        assert_eq!(mapping.plain_number("1 234"), "1234");
    }
}
