//! `frontdesk form`: the forms of an account's websites.

use clap::Subcommand;
use frontdesk_crm::forms::{self, Form, FormError, FormId, NewForm, Origin};
use frontdesk_crm::inquiries::PageUrl;
use frontdesk_kernel::Ids;
use frontdesk_kernel::ids::AccountId;
use serde_json::{Value, json};

use super::account_arg::AccountArg;
use super::print;
use super::values::{Name, id};
use crate::clock;
use crate::error::Result;
use crate::installation::{Installation, ServerUrls};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Create a form, and print its address and the HTML to put on a page
    Create {
        #[command(flatten)]
        account: AccountArg,
        /// The name of the form in its inquiries, such as "Contact us"
        #[arg(long)]
        name: Name,
        /// Redirect browsers to this page after a submission; a thank-you page when left out
        #[arg(long, value_name = "URL")]
        redirect: Option<PageUrl>,
        /// A website that may submit it and show it in a frame, such as `https://example.com`. When left out, any may submit
        /// it and none may show it. May be repeated
        #[arg(long = "allow-origin", value_name = "ORIGIN")]
        origins: Vec<Origin>,
    },
    /// List the forms of an account
    List {
        #[command(flatten)]
        account: AccountArg,
    },
    /// Delete a form and its address; its inquiries stay
    Delete {
        /// The form's id, as `frontdesk form list` shows it
        #[arg(value_name = "FORM_ID", value_parser = id::<Form>)]
        id: FormId,
    },
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        match self {
            Self::Create { account, name, redirect, origins } => {
                let account = account.choose(installation)?;
                let new = NewForm {
                    account,
                    name,
                    redirect_url: redirect,
                    origins,
                    fields: None,
                    button_text: None,
                    thanks_text: None,
                };
                create(installation, new)
            }
            Self::List { account } => list(installation, account.choose(installation)?),
            Self::Delete { id } => delete(installation, id),
        }
    }
}

fn create(installation: &Installation, new: NewForm) -> Result<()> {
    let (ids, now, random) = (Ids::new(), clock::now(), rand::random());
    let (form, base) = installation.put(move |tx| {
        let form = forms::create(tx, &ids, &random, &new, now)?;
        Ok::<_, FormError>((form, ServerUrls::recall(tx)?.base_url))
    })?;
    let url = address(&base, &form);
    print::output(installation.json, &json!({ "form_id": form.id, "url": url }), || {
        let fields = print::fields(&[("form", form.id.to_string()), ("address", url.clone())]);
        format!(
            "{fields}\n\nOpen the address in a browser to see the form, and share it as it is. Or put this on a page of your \
             website:\n\n{}",
            snippet(&url)
        )
    })
}

fn address(base: &str, form: &Form) -> String {
    format!("{base}/forms/{}", form.token)
}

/// The HTML for a page. People do not see the last field; submissions of bots that fill it in are dropped.
fn snippet(url: &str) -> String {
    format!(
        "\
<form action=\"{url}\" method=\"post\">
  <label>Name <input name=\"name\" autocomplete=\"name\" maxlength=\"200\"></label>
  <label>Email <input name=\"email\" type=\"email\" autocomplete=\"email\" required></label>
  <label>Phone <input name=\"phone\" type=\"tel\" autocomplete=\"tel\" placeholder=\"+1 415 555 0123\"></label>
  <label>Message <textarea name=\"message\" maxlength=\"10000\" required></textarea></label>
  <input name=\"_gotcha\" style=\"display:none\" tabindex=\"-1\" autocomplete=\"off\">
  <button>Send</button>
</form>"
    )
}

fn list(installation: &Installation, account: AccountId) -> Result<()> {
    let (forms, base) = installation
        .look(move |tx| Ok::<_, FormError>((forms::list(tx, account)?, ServerUrls::recall(tx)?.base_url)))?;
    let rows: Vec<Value> = forms
        .iter()
        .map(|form| {
            json!({
                "id": form.id, "name": form.name, "url": address(&base, form), "redirect_url": form.redirect_url,
                "origins": form.origins, "created_at": form.created_at,
            })
        })
        .collect();
    print::output(installation.json, &rows, || {
        let rows = forms.iter().map(|form| {
            vec![
                form.id.to_string(),
                form.name.to_string(),
                address(&base, form),
                print::or_dash(form.redirect_url.as_ref()),
                if form.origins.is_empty() { "any".to_owned() } else { form.origins.join(", ") },
            ]
        });
        print::table(
            &["id", "name", "address", "redirect", "websites"],
            rows.collect(),
            "There are no forms. Make one with: frontdesk form create --name NAME",
        )
    })
}

fn delete(installation: &Installation, id: FormId) -> Result<()> {
    installation.put(move |tx| forms::delete(tx, id))?;
    print::output(installation.json, &json!({ "id": id, "deleted": true }), || {
        print::fields(&[("deleted", id.to_string())])
    })
}
