//! What tests of mails begin with: a server that sends them to an SMTP server of the tests.

use frontdesk_e2e::{Account, App, Engine, Given, Mail, SmtpServer, Start};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, PASSWORD, member, set_password, token};
use crate::inbox_scene::{self, Inbox, id};
use crate::shapes::text;

/// The address that mails come from.
pub(crate) const FROM: &str = "desk@desk.example.com";

const HOUR: i64 = 60 * 60;

/// An inbox whose server sends mails, and the SMTP server.
pub(crate) struct Mails {
    pub(crate) inbox: Inbox,
    pub(crate) smtp: SmtpServer,
    /// The owner's browser.
    pub(crate) owner: Browser,
    pub(crate) account: Account,
}

impl Given for Mails {
    fn given(engine: Engine) -> Self {
        let smtp = SmtpServer::start();
        let inbox = Inbox::of(start(engine, &smtp));
        // A mail a day is one in a day of UTC, and no test moves the clock past midnight unknowingly.
        inbox.advance((25 * HOUR - inbox.now() % (24 * HOUR)) as u64);
        Self::with(inbox, smtp)
    }
}

/// A server whose clock can be moved, and which sends mails.
pub(crate) fn start(engine: Engine, smtp: &SmtpServer) -> Start {
    inbox_scene::start(engine)
        .env("FRONTDESK_ALLOW_PRIVATE_TARGETS", "true")
        .env("FRONTDESK_SMTP_URL", &smtp.url())
        .env("FRONTDESK_MAIL_FROM", FROM)
}

impl Mails {
    /// One whose server has the same time as commands, which read the system's clock.
    pub(crate) fn at_the_real_time(engine: Engine) -> Self {
        let smtp = SmtpServer::start();
        let inbox = Inbox::of(start(engine, &smtp));
        Self::with(inbox, smtp)
    }

    fn with(mut inbox: Inbox, smtp: SmtpServer) -> Self {
        // An account whose owner has an address.
        let account = inbox.app.account_with(&["--rate-limit", "1000000", "--owner-email", OWNER]);
        set_password(&inbox.app, &account.owner, PASSWORD);
        let key = inbox.app.key_with(&account, &["--all-scopes"]);
        inbox.client = inbox.app.client(&key);
        inbox.whatsapp = inbox_scene::connect(&inbox.app, &account, "whatsapp");
        inbox.tenant.account = account.clone();
        let owner = Browser::new(&inbox.app).sign_in(OWNER);
        Self { inbox, smtp, owner, account }
    }

    pub(crate) fn app(&self) -> &App {
        &self.inbox.app
    }

    /// Adds a member with a password: their id and their browser.
    #[track_caller]
    pub(crate) fn person(&self, name: &str, role: &str) -> (String, Browser) {
        let email = format!("{name}@example.com");
        let id = member(self.app(), &self.account, &email, role);
        (id, Browser::new(self.app()).sign_in(&email))
    }

    /// The owner adds a member: what the dashboard is told.
    #[track_caller]
    pub(crate) fn invites(&self, name: &str, email: &str) -> Value {
        let new = json!({ "name": name, "email": email, "role": "agent" });
        self.owner.post("/admin/members", new).expect(201).data().clone()
    }

    /// A browser asks for a new password.
    #[track_caller]
    pub(crate) fn loses_password(&self, email: &str) {
        let lost = Browser::new(self.app()).post("/password/lost", json!({ "email": email })).expect(200);
        assert_eq!(lost.data(), &json!({ "ok": true }));
    }

    /// Demands that there are so many mails to an address, and that no more are on their way.
    #[track_caller]
    pub(crate) fn has(&self, to: &str, many: usize) -> Vec<Mail> {
        self.smtp.wait_for_mails(to, many);
        self.inbox.settle();
        let mails = self.smtp.mails_to(to);
        assert_eq!(mails.len(), many, "{mails:?}");
        mails
    }
}

/// A note of a browser mentions somebody.
#[track_caller]
pub(crate) fn mentions(browser: &Browser, conversation: &Value, whom: &str, words: &str) {
    let path = format!("/v1/conversations/{}/notes", id(conversation));
    browser.post(&path, json!({ "body": words, "mentioned_user_ids": [whom] })).expect(201);
}

/// Sets a password by the link in a mail, and signs in with it.
#[track_caller]
pub(crate) fn uses_link(app: &App, mail: &Mail, password: &str) -> Browser {
    let browser = Browser::new(app);
    let link = mail.link();
    assert!(link.starts_with(&app.base()), "{link}");
    let body = json!({ "token": token(&link), "password": password });
    let set = browser.post("/password", body).expect(200);
    let response = browser.try_sign_in(text(&set.data()["email"]), password).expect(200);
    browser.keeping(&response)
}

/// The path of the address in a mail at which the recipient gets no more of them.
#[track_caller]
pub(crate) fn unsubscribe_path(app: &App, mail: &Mail) -> String {
    let header = mail.header("List-Unsubscribe").expect("a mail that can be declined");
    let url = header.trim_matches(['<', '>']);
    assert!(mail.text().contains(url) && mail.html().contains(url), "{url}");
    url.strip_prefix(&app.base()).unwrap_or_else(|| panic!("{url}")).to_owned()
}
