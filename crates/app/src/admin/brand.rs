//! The account's brand: the name, the colour and the logo of its forms and web chats.

use frontdesk_crm::brands::{self, Brand, BrandName, BrandPatch, Logo};
use frontdesk_crm::tags::Color;
use frontdesk_kernel::Patch;
use frontdesk_platform::accounts;
use frontdesk_web::{Body, Data, Failure, Result, input, resource};

use crate::caller::{AppCaller, AppRoute};

resource! {
    /// How an account's forms and web chats look.
    pub struct BrandDetail {
        /// The name that visitors see; null for the account's.
        pub name: Option<String>,
        /// The account's name.
        pub account_name: String,
        /// A hex colour; null for the usual one.
        pub color: Option<Color>,
        /// Black or white, whichever is easier to read on the colour; null without a colour.
        pub text_color: Option<String>,
        /// The path of the logo on this server; null without one.
        pub logo_path: Option<String>,
    }
}

input! {
    /// What to change of the brand.
    pub struct BrandChanges {
        /// The name that visitors see; null for the account's.
        pub name: Patch<BrandName>,
        /// A hex colour such as `#2563eb`; null for the usual one.
        pub color: Patch<Color>,
    }
}

input! {
    /// The logo.
    pub struct NewLogo {
        /// A PNG, JPEG or WebP file of up to 256 KB, in base64.
        pub image: Logo,
    }
}

pub(super) fn routes() -> Vec<AppRoute> {
    vec![
        AppRoute::get("/admin/brand", "getBrand", get).summary("The account's brand"),
        AppRoute::patch("/admin/brand", "updateBrand", patch).summary("Change the account's brand"),
        AppRoute::put("/admin/brand/logo", "replaceLogo", put_logo).summary("Replace the account's logo"),
        AppRoute::delete("/admin/brand/logo", "deleteLogo", delete_logo).summary("Remove the account's logo"),
    ]
}

fn detail(brand: Brand, account_name: String) -> BrandDetail {
    BrandDetail {
        logo_path: brand.logo_path(),
        text_color: brand.color.as_ref().map(|color| brands::text_on(color).to_owned()),
        name: brand.name,
        account_name,
        color: brand.color,
    }
}

/// The brand after a change, with the account's name.
async fn changed(caller: &AppCaller, brand: Brand) -> Result<Data<BrandDetail>> {
    let id = caller.manager()?.account;
    let account =
        caller.read(move |tx| Ok(accounts::find(tx, id)?)).await?.ok_or_else(Failure::signed_out)?;
    Ok(Data(detail(brand, account.name)))
}

async fn get(caller: AppCaller) -> Result<Data<BrandDetail>> {
    let account = caller.manager()?.account;
    let brand = caller.read(move |tx| Ok(brands::find(tx, account)?)).await?;
    changed(&caller, brand).await
}

async fn patch(caller: AppCaller, Body(changes): Body<BrandChanges>) -> Result<Data<BrandDetail>> {
    let (patch, now) = (BrandPatch { name: changes.name, color: changes.color }, caller.now);
    let brand = caller
        .administer("brand.updated", move |tx, session| {
            Ok((brands::patch(tx, session.account, &patch, now)?, None))
        })
        .await?;
    changed(&caller, brand).await
}

async fn put_logo(caller: AppCaller, Body(new): Body<NewLogo>) -> Result<Data<BrandDetail>> {
    let now = caller.now;
    let brand = caller
        .administer("brand.logo_changed", move |tx, session| {
            Ok((brands::put_logo(tx, session.account, &new.image, now)?, None))
        })
        .await?;
    changed(&caller, brand).await
}

async fn delete_logo(caller: AppCaller) -> Result<Data<BrandDetail>> {
    let now = caller.now;
    let brand = caller
        .administer("brand.logo_removed", move |tx, session| {
            Ok((brands::remove_logo(tx, session.account, now)?, None))
        })
        .await?;
    changed(&caller, brand).await
}
