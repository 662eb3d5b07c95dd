//! The SMTP server: whether it answers, encrypts as configured and lets us in.

use frontdesk_app::mail::{self, SmtpSettings};

use super::Check;

const NAME: &str = "mail";

/// Begins as for a mail, and sends none.
pub(super) async fn examine(settings: Option<&SmtpSettings>) -> Check {
    let Some(settings) = settings else {
        let message = "no mails are sent: links for passwords are shown instead. Set FRONTDESK_SMTP_URL and FRONTDESK_MAIL_FROM \
                       to send them";
        return Check::ok(NAME, message);
    };
    match mail::check(settings).await {
        Ok(()) => Check::ok(NAME, format!("{} answers and lets us in", settings.place())),
        Err(refusal) => {
            let message = format!(
                "{}: {}. Correct FRONTDESK_SMTP_URL, see that this machine may reach that port, and try \
                 `frontdesk mail test ADDRESS`",
                settings.place(),
                refusal.reason()
            );
            Check::failed(NAME, message)
        }
    }
}
