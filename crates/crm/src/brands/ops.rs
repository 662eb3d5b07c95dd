//! The brand, and what changes it.

use frontdesk_db::{self as db, ReadTx, Row, Tx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_kernel::{Patch, Text, Timestamp};

use super::logo::{Logo, LogoType};
use super::sql::{CREATE, FIND, LOGO, REMOVE_LOGO, SET_LOGO, UPDATE};
use crate::tags::Color;

const NAME_CHARS_MAX: usize = 60;

/// How an account's forms and web chats look. What is none is as usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brand {
    /// The name that visitors see, if it is not the account's.
    pub name: Option<String>,
    pub color: Option<Color>,
    /// Names the logo at its address.
    pub logo: Option<String>,
}

impl Brand {
    /// The path of the logo on this server.
    pub fn logo_path(&self) -> Option<String> {
        self.logo.as_ref().map(|hash| format!("/brands/{hash}"))
    }
}

/// The name that visitors see.
pub type BrandName = Text<NAME_CHARS_MAX>;

/// What to change of a brand.
#[derive(Clone, Debug)]
pub struct BrandPatch {
    pub name: Patch<BrandName>,
    pub color: Patch<Color>,
}

pub fn find(tx: &mut ReadTx<'_>, account: AccountId) -> db::Result<Brand> {
    Ok(tx.find(FIND, &[&account], read)?.unwrap_or_default())
}

pub fn patch(tx: &mut Tx<'_>, account: AccountId, patch: &BrandPatch, now: Timestamp) -> db::Result<Brand> {
    let before = hold(tx, account, now)?;
    let brand = Brand {
        name: patch.name.as_ref().map(|name| name.as_str().trim().to_owned()).apply(before.name),
        color: patch.color.clone().apply(before.color),
        logo: before.logo,
    };
    let color = brand.color.as_ref().map(Color::as_str);
    tx.execute(UPDATE, &[&account, &brand.name, &color, &now])?.exactly(1)?;
    Ok(brand)
}

/// Replaces the logo.
pub fn put_logo(tx: &mut Tx<'_>, account: AccountId, logo: &Logo, now: Timestamp) -> db::Result<Brand> {
    let before = hold(tx, account, now)?;
    let hash = logo.hash(account);
    tx.execute(SET_LOGO, &[&account, &logo.bytes, &logo.kind, &hash, &now])?.exactly(1)?;
    Ok(Brand { logo: Some(hash), ..before })
}

pub fn remove_logo(tx: &mut Tx<'_>, account: AccountId, now: Timestamp) -> db::Result<Brand> {
    let before = hold(tx, account, now)?;
    tx.execute(REMOVE_LOGO, &[&account, &now])?.exactly(1)?;
    Ok(Brand { logo: None, ..before })
}

/// The logo with this name.
pub(super) fn logo(tx: &mut ReadTx<'_>, hash: &str) -> db::Result<Option<(LogoType, Vec<u8>)>> {
    tx.find(LOGO, &[&hash], |row| Ok((row.next()?, row.next()?)))
}

/// The account's row, made if there is none, and locked.
fn hold(tx: &mut Tx<'_>, account: AccountId, now: Timestamp) -> db::Result<Brand> {
    tx.execute(CREATE, &[&account, &now])?.any();
    tx.find_to_change(FIND, &[&account], read)?.ok_or(db::Error::Decode("brand"))
}

fn read(row: &mut Row<'_>) -> db::Result<Brand> {
    let (name, color, logo) = (row.next()?, row.next::<Option<String>>()?, row.next()?);
    Ok(Brand { name, color: color.and_then(|color| color.parse().ok()), logo })
}
