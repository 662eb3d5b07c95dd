//! How the pages of an account look: its name, colour and logo, and the language of their fixed words.

use std::fmt::Write;

use frontdesk_db::{self as db, ReadTx};
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::accounts;
use http::Uri;

use super::words::FormLanguage;
use crate::brands::{self, Brand};

/// How the pages of an account look.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The name that visitors see.
    pub(super) business: String,
    /// Replaces the colours of the page; empty for the usual ones.
    pub(super) style: String,
    /// The path of the logo on this server.
    pub(super) logo: Option<String>,
    /// The language of its fixed words.
    pub language: FormLanguage,
}

impl Look {
    /// The look of an account, on the server with this base URL.
    pub fn find(tx: &mut ReadTx<'_>, account: AccountId, base_url: &str) -> db::Result<Self> {
        let name = accounts::find(tx, account)?.map(|account| account.name).unwrap_or_default();
        Ok(Self::of(name, &brands::find(tx, account)?, base_url))
    }

    fn of(account_name: String, brand: &Brand, base_url: &str) -> Self {
        let mut style = String::new();
        if let Some(color) = &brand.color {
            // A colour has only digits, so it cannot end the rule.
            let (accent, text) = (color.as_str(), brands::text_on(color));
            write!(style, ":root {{ --accent: {accent}; --on-accent: {text}; }}")
                .expect("a String takes all text");
        }
        Self {
            business: brand.name.clone().unwrap_or(account_name),
            style,
            logo: brand.logo_path().map(|path| format!("{}{path}", base_path(base_url))),
            language: FormLanguage::default(),
        }
    }
}

/// The path prefix of the installation; usually none.
pub(super) fn base_path(base_url: &str) -> String {
    let uri = base_url.parse::<Uri>().ok();
    uri.map(|uri| uri.path().trim_end_matches('/').to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_without_a_brand_looks_as_usual() {
        let look = Look::of("Acme".to_owned(), &Brand::default(), "https://desk.example");
        assert_eq!((look.business.as_str(), look.style.as_str(), look.logo), ("Acme", "", None));
    }

    #[test]
    fn a_brand_replaces_name_and_colors_and_has_its_logo_under_the_servers_path() {
        let brand = Brand {
            name: Some("Shop".to_owned()),
            color: Some("#ffd400".parse().unwrap()),
            logo: Some("abc".to_owned()),
        };
        let look = Look::of("Acme".to_owned(), &brand, "https://desk.example/desk/");
        assert_eq!(look.business, "Shop");
        assert_eq!(look.style, ":root { --accent: #ffd400; --on-accent: #000; }");
        assert_eq!(look.logo.as_deref(), Some("/desk/brands/abc"));
    }
}
