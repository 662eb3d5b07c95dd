//! A filled-in template: complete, and independent of a vendor's wire format, so that it can be stored with
//! its message and sent later.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Composed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<ComposedHeader>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<ComposedParameter>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<ComposedButton>,
    /// The body's text with its values. A channel without templates sends this.
    #[serde(default)]
    pub text: String,
}

impl Composed {
    /// The address of the header's media.
    pub fn media_url(&self) -> Option<&str> {
        match self.header.as_ref()? {
            ComposedHeader::Image { link }
            | ComposedHeader::Video { link }
            | ComposedHeader::Document { link, .. } => Some(link),
            ComposedHeader::Text(_) => None,
        }
    }
}

/// The variable part of a header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ComposedHeader {
    Text(ComposedParameter),
    Image {
        link: String,
    },
    Video {
        link: String,
    },
    Document {
        link: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filename: Option<String>,
    },
}

/// One value; its name is set when the template's parameters have names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComposedParameter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComposedButton {
    pub index: u32,
    pub kind: ButtonKind,
    pub value: String,
}

/// The kind of a button's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ButtonKind {
    /// The end of its address.
    Url,
    /// The code that it copies.
    CopyCode,
}
