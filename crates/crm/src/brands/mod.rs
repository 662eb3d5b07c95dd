//! An account's brand: the name, the colour and the logo of its forms and web chats.
//!
//! A logo is served from our own address, under a hash of its account and its bytes, so that browsers may keep it. It is
//! served as the picture that its bytes say it is, whatever was claimed, and nothing that could run is accepted.

mod contrast;
mod logo;
mod ops;
mod public_endpoint;
mod sql;

pub use contrast::text_on;
pub use logo::{LOGO_BYTES_MAX, Logo, LogoType, NotALogo};
pub use ops::{Brand, BrandName, BrandPatch, find, patch, put_logo, remove_logo};
pub use public_endpoint::public_endpoint;
pub use sql::STATEMENTS;
