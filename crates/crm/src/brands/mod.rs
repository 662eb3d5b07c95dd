//! An account's brand: the name, the colour and the logo of its forms and web chats.
//!
//! A logo is served from our own address, under a hash of its account and its bytes, so that browsers may keep it. It is
//! served as the picture that its bytes say it is, whatever was claimed, and nothing that could run is accepted.

mod contrast;
mod logo;
mod ops;
mod public_endpoint;
mod sql;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frontdesk_kernel::Timestamp;
use frontdesk_platform::export::{Columns, Exported, ExportedRows, LineFields};

pub use contrast::text_on;
pub use logo::{LOGO_BYTES_MAX, Logo, LogoType, NotALogo};
pub use ops::{Brand, BrandName, BrandPatch, find, patch, put_logo, remove_logo};
pub use public_endpoint::public_endpoint;
pub use sql::STATEMENTS;

/// The brand, with the logo in base64.
pub(crate) const EXPORTED: &[&dyn Exported] = &[&ExportedRows::new(
    "brand",
    &["brands"],
    Columns {
        sql: "t.name, t.color, t.logo_type, t.logo, t.updated_at",
        line: |row, _| {
            let line = LineFields::default()
                .with("name", &row.next::<Option<String>>()?)?
                .with("color", &row.next::<Option<String>>()?)?
                .with("logo_type", &row.next::<Option<LogoType>>()?)?
                .with("logo", &row.next::<Option<Vec<u8>>>()?.map(|bytes| STANDARD.encode(bytes)))?
                .with("updated_at", &row.next::<Timestamp>()?)?;
            Ok(line.finish())
        },
    },
)
.keyed(&["t.account_id"])];
