//! Fills in a template, and reports all problems of its parameters.

use percent_encoding::percent_decode_str;

use super::TemplateFill;
use super::composed::{ButtonKind, Composed, ComposedButton, ComposedHeader, ComposedParameter};
use super::layout::{Header, HeaderMedia, Layout};

/// A parameter that does not match the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its path in the template object: `body_params.1`.
    pub path: String,
    pub message: String,
}

impl Layout {
    /// The template with its values, or all mismatches.
    pub fn compose(&self, fill: &TemplateFill) -> Result<Composed, Vec<Mismatch>> {
        let mut wrong = Mismatches::default();
        for part in &self.beyond {
            wrong.add("name", format!("this template has a {part}, which cannot be filled in here"));
        }
        let header = self.compose_header(fill, &mut wrong);
        let body = self.compose_body(fill, &mut wrong);
        let buttons = self.compose_buttons(fill, &mut wrong);
        wrong.none_or(|| Composed { header, body, buttons, text: self.text(fill) })
    }

    fn compose_header(&self, fill: &TemplateFill, wrong: &mut Mismatches) -> Option<ComposedHeader> {
        if fill.header_text.is_some() && !matches!(self.header, Header::Text { .. }) {
            wrong.add("header_text", "this template's header has no text to fill in");
        }
        if fill.header_media_url.is_some() && !matches!(self.header, Header::Media { .. }) {
            wrong.add("header_media_url", "this template's header has no media");
        }
        match &self.header {
            Header::Fixed => None,
            Header::Text { key } => {
                let text = wrong.said("header_text", fill.header_text.as_deref(), || {
                    format!("the header's {{{{{key}}}}} needs a value")
                })?;
                Some(ComposedHeader::Text(self.parameter(key, text)))
            }
            Header::Media { kind, example } => {
                let given = fill.header_media_url.as_deref().or(example.as_deref());
                let link = wrong.said("header_media_url", given, || {
                    let kind = kind.as_str();
                    format!("WhatsApp has no example of this template's {kind}; give the address of one")
                })?;
                Some(header_media(*kind, link))
            }
        }
    }

    fn compose_body(&self, fill: &TemplateFill, wrong: &mut Mismatches) -> Vec<ComposedParameter> {
        let keys = self.body.keys();
        if fill.body_params.len() > keys.len() {
            let (given, wanted) = (fill.body_params.len(), keys.len());
            wrong.add("body_params", format!("this template's body takes {wanted}, not {given}"));
        }
        let mut parameters = Vec::with_capacity(keys.len());
        for (index, key) in keys.into_iter().enumerate() {
            let given = fill.body_params.get(index).map(String::as_str);
            let needs = || format!("the body's {{{{{key}}}}} needs a value");
            if let Some(text) = wrong.said(&format!("body_params.{index}"), given, needs) {
                parameters.push(self.parameter(key, text));
            }
        }
        parameters
    }

    fn compose_buttons(&self, fill: &TemplateFill, wrong: &mut Mismatches) -> Vec<ComposedButton> {
        for index in fill.button_params.keys() {
            match self.buttons.get(*index as usize) {
                None => wrong.add(&format!("button_params.{index}"), "this template has no such button"),
                Some(button) if button.takes.is_none() => {
                    wrong.add(&format!("button_params.{index}"), "this button takes no value");
                }
                Some(_) => {}
            }
        }
        let mut buttons = Vec::new();
        for (index, button) in (0_u32..).zip(&self.buttons) {
            let Some(kind) = button.takes else { continue };
            let given = fill.button_params.get(&index).map(String::as_str);
            let needs = || match kind {
                ButtonKind::Url => "this button needs the end of its address".to_owned(),
                ButtonKind::CopyCode => "this button needs the code that it copies".to_owned(),
            };
            if let Some(value) = wrong.said(&format!("button_params.{index}"), given, needs) {
                buttons.push(ComposedButton { index, kind, value });
            }
        }
        buttons
    }

    fn parameter(&self, key: &str, text: String) -> ComposedParameter {
        ComposedParameter { name: self.named.then(|| key.to_owned()), text }
    }
}

/// The vendor rejects parameters that would change the template's layout.
fn breaks_the_line(text: &str) -> bool {
    const SPACES_TOO_MANY: &str = "     ";
    text.contains(['\n', '\r', '\t']) || text.trim().contains(SPACES_TOO_MANY)
}

/// The mismatches found so far.
#[derive(Default)]
struct Mismatches(Vec<Mismatch>);

impl Mismatches {
    fn add(&mut self, path: &str, message: impl Into<String>) {
        self.0.push(Mismatch { path: path.to_owned(), message: message.into() });
    }

    /// A value that is present and not blank; the vendor rejects others.
    fn said(&mut self, path: &str, given: Option<&str>, needs: impl Fn() -> String) -> Option<String> {
        match given {
            Some(text) if breaks_the_line(text) => {
                self.add(path, "must have no line break, no tab and no more than four spaces in a row");
                None
            }
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            Some(_) => {
                self.add(path, format!("{}, not a blank one", needs()));
                None
            }
            None => {
                self.add(path, needs());
                None
            }
        }
    }

    fn none_or(self, composed: impl FnOnce() -> Composed) -> Result<Composed, Vec<Mismatch>> {
        if self.0.is_empty() { Ok(composed()) } else { Err(self.0) }
    }
}

fn header_media(kind: HeaderMedia, link: String) -> ComposedHeader {
    match kind {
        HeaderMedia::Image => ComposedHeader::Image { link },
        HeaderMedia::Video => ComposedHeader::Video { link },
        HeaderMedia::Document => {
            let filename = filename_of(&link);
            ComposedHeader::Document { link, filename }
        }
    }
}

/// The name at the end of an address. Without one, the document is shown as «Untitled».
fn filename_of(link: &str) -> Option<String> {
    let (_, after_scheme) = link.split_once("://")?;
    let path = after_scheme.split(['?', '#']).next()?;
    let (_, last) = path.rsplit_once('/')?;
    let name = percent_decode_str(last).decode_utf8().ok()?;
    let is_file = name.contains('.') && !name.contains(['/', '\\']);
    is_file.then(|| name.into_owned())
}
