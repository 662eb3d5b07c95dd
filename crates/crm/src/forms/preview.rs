//! The pages of a form as its editor shows them, before they are saved.

use frontdesk_web::{Reply, resource};

use super::form::Form;
use super::look::Look;
use super::{hosted, page};

resource! {
    /// The pages of a form, as visitors would see them.
    pub struct FormPreview {
        /// The page with the form, as HTML.
        pub form_html: String,
        /// The page after a submission, as HTML.
        pub thanks_html: String,
    }
}

/// The pages of a form that need not be stored.
pub fn preview(form: &Form, look: &Look) -> FormPreview {
    FormPreview { form_html: html(&hosted::show(form, look)), thanks_html: html(&page::thanks(form, look)) }
}

fn html(page: &Reply) -> String {
    String::from_utf8_lossy(&page.body).into_owned()
}
