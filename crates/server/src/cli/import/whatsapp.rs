//! `frontdesk import whatsapp-export`: a chat that the phone app has exported.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use frontdesk_crm::contacts::{self, Contact, ContactId};
use frontdesk_crm::imports::{self as crm, PastContact};
use frontdesk_db::Store;
use frontdesk_inbox::connections::{Connection, ConnectionId};
use frontdesk_kernel::Country;
use frontdesk_kernel::ids::AccountId;
use frontdesk_platform::By;
use frontdesk_platform::accounts::{self, AccountError};
use frontdesk_platform::events::Recorder;
use jiff::tz::TimeZone;
use serde_json::json;

use super::super::account_arg::AccountArg;
use super::super::channel::server;
use super::super::print;
use super::super::progress::ProgressLine;
use super::super::values::id;
use super::{report, tell};
use crate::backup::{Phase, Step};
use crate::error::{Error, Result};
use crate::import::whatsapp::{Archive, Chat, DateOrder, Import, Place};
use crate::import::{Tally, under_lease};
use crate::installation::Installation;
use crate::{clock, media_files};

#[derive(Args)]
#[command(group(ArgGroup::new("whose").required(true).args(["contact", "phone"])))]
#[command(after_help = "\
In WhatsApp, open the chat and choose Export chat, with or without media. The messages go into the contact's conversation with
the times that the phone shows; those of --me are the business's. Nothing is sent and no event is written. Bringing the chat
again, or a later export of it, adds what is new. Exports of groups are refused.")]
pub(in crate::cli) struct Command {
    /// The archive that WhatsApp has made
    #[arg(value_name = "FILE.zip")]
    file: PathBuf,
    #[command(flatten)]
    account: AccountArg,
    /// The contact whose chat it is
    #[arg(long, value_name = "CONTACT_ID", value_parser = id::<Contact>)]
    contact: Option<ContactId>,
    /// The contact's number; an unknown one becomes a contact
    #[arg(long, value_name = "PHONE")]
    phone: Option<String>,
    /// The business's name in the chat, as the phone shows it; may be left out if the contact is known by the other name
    #[arg(long, value_name = "NAME")]
    me: Option<String>,
    /// The WhatsApp connection of the conversation; the account's oldest when left out
    #[arg(long, value_name = "CONNECTION_ID", value_parser = id::<Connection>)]
    connection: Option<ConnectionId>,
    /// The order of day, month and year; found from the dates when left out
    #[arg(long, value_name = "ORDER")]
    date_order: Option<DateOrder>,
    /// The phone's time zone, such as Europe/Berlin; the account's when left out
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Say what there is, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// The person whose chat it is.
struct Person {
    contact: Option<Contact>,
    phone: Option<frontdesk_kernel::Phone>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<()> {
        let account = self.account.choose(installation)?;
        let mut archive = Archive::open(&self.file).map_err(|error| Error::Invalid(error.to_string()))?;
        let text = archive.chat().map_err(|error| Error::Invalid(error.to_string()))?;
        let chat = Chat::read(&text, self.date_order).map_err(|error| Error::Invalid(error.to_string()))?;
        let brought = installation.work(async |store| {
            let (person, timezone) = self.person(store, account).await?;
            let me = self.me(&chat, &person)?;
            if self.dry_run {
                return Ok((Self::counted(&chat), person.contact.map(|contact| contact.id), None));
            }
            let server = server(installation, store).await?;
            let moves = media_files::places()?.target().is_some();
            let mut import =
                Import { server: &server, account, timezone, me, moves, tally: Tally::default() };
            let done = under_lease(store, self.bring(&mut import, &mut archive, &chat, &person)).await;
            tell(installation, store).await?;
            let (contact, place) = done?;
            Ok((import.tally, Some(contact), Some(place)))
        })?;
        self.report(installation, &chat, brought)
    }

    async fn person(&self, store: &Store, account: AccountId) -> Result<(Person, TimeZone)> {
        let (given, written) = (self.contact, self.phone.clone());
        let (person, zone) = store
            .read(move |tx| {
                let found = accounts::find(tx, account)?.ok_or(AccountError::NoAccount(account))?;
                let phone = match &written {
                    Some(text) => {
                        let country = accounts::country(tx, account)?;
                        let phone = Country::read_phone(country, text);
                        Some(phone.map_err(|wrong| Error::Invalid(format!("--phone {wrong}")))?)
                    }
                    None => None,
                };
                let id = match (given, &phone) {
                    (Some(id), _) => Some(id),
                    (None, Some(phone)) => contacts::find_by_phone(tx, account, phone)?,
                    (None, None) => None,
                };
                let contact = match id {
                    Some(id) => contacts::find(tx, account, id)?,
                    None => None,
                };
                if contact.is_none() && given.is_some() {
                    return Err(Error::Invalid("the account has no such contact".to_owned()));
                }
                Ok::<_, Error>((Person { contact, phone }, found.timezone))
            })
            .await?;
        let zone = self.timezone.as_deref().unwrap_or(&zone);
        let zone = TimeZone::get(zone)
            .map_err(|_| Error::Invalid(format!("{zone} is no time zone: give one such as Europe/Berlin")))?;
        Ok((person, zone))
    }

    /// The business's name in the chat.
    fn me(&self, chat: &Chat, person: &Person) -> Result<Option<String>> {
        let authors = chat.authors();
        let listed = || {
            let lines = authors
                .iter()
                .map(|(name, count)| format!("    --me {:?}    {count} messages", print::printable(name)));
            lines.collect::<Vec<_>>().join("\n")
        };
        let me = if let Some(me) = &self.me {
            let found = authors.keys().find(|name| name.trim() == me.trim());
            Some(found.cloned().ok_or_else(|| {
                Error::Invalid(format!(
                    "nobody in the chat is called {me:?}. Add one of these:\n\n{}",
                    listed()
                ))
            })?)
        } else {
            let others: Vec<&String> = authors.keys().filter(|name| !person.is_called(name)).collect();
            match (&others[..], authors.len()) {
                ([], 1) => None,
                ([me], 2) => Some((*me).clone()),
                _ => {
                    return Err(Error::Invalid(format!(
                        "say who the business is. Add one of these:\n\n{}",
                        listed()
                    )));
                }
            }
        };
        let others = authors.keys().filter(|name| Some(*name) != me.as_ref()).count();
        if others > 1 {
            return Err(Error::Invalid(format!(
                "{others} people have written beside {}: chats of groups cannot be brought",
                me.as_deref().unwrap_or("the business")
            )));
        }
        Ok(me)
    }

    fn counted(chat: &Chat) -> Tally {
        let mut tally = Tally::default();
        tally.brought("messages", chat.messages.len());
        tally.left_out_many("lines of WhatsApp itself", chat.system_lines);
        tally
    }

    async fn bring(
        &self,
        import: &mut Import<'_>,
        archive: &mut Archive,
        chat: &Chat,
        person: &Person,
    ) -> Result<(ContactId, Place)> {
        let contact = match &person.contact {
            Some(contact) => contact.id,
            None => make(import, chat, person).await?,
        };
        let place = import.place(chat, contact, self.connection).await?;
        let (mut line, mut done) = (ProgressLine::new(), 0);
        let total = chat.messages.len() as u64;
        let progress = &mut |rows| {
            done += rows;
            line.show(Step { done, total, bytes: 0, phase: Phase::Import });
        };
        import.bring(archive, chat, place, progress).await?;
        Ok((contact, place))
    }

    fn report(
        &self,
        installation: &Installation,
        chat: &Chat,
        (tally, contact, place): (Tally, Option<ContactId>, Option<Place>),
    ) -> Result<()> {
        let response = json!({
            "dry_run": self.dry_run, "contact_id": contact, "conversation_id": place.map(|place| place.conversation),
            "connection_id": place.map(|place| place.connection), "authors": chat.authors(), "rows": tally.lines,
            "left_out": tally.left_out, "is_anything_new": tally.is_anything_new(),
        });
        print::output(installation.json, &response, || report::in_words(&tally, self.dry_run))
    }
}

/// Makes the contact of a number, with the other's name in the chat.
async fn make(import: &Import<'_>, chat: &Chat, person: &Person) -> Result<ContactId> {
    let name = chat.authors().into_keys().find(|name| Some(name) != import.me.as_ref());
    // Phones show the number of somebody who is in no address book.
    let name = name.filter(|name| !name.starts_with('+')).and_then(|name| contacts::name_of(&name));
    let past = PastContact { name, phone: person.phone.clone(), ..PastContact::default() };
    let by = By::system(import.account, clock::now(), &std::sync::Arc::new(Recorder::of_the_past()));
    let made = import.server.store.write(move |tx| {
        crm::contact(tx, &by, &past).map_err(|error| match error {
            contacts::ContactError::Platform(frontdesk_platform::Error::Store(error)) => Error::Store(error),
            error => Error::Invalid(error.to_string()),
        })
    });
    Ok(made.await?.id())
}

impl Person {
    /// Whether the chat may call the person so: by name, or by number.
    fn is_called(&self, author: &str) -> bool {
        let shown = author.trim_start_matches('~').trim();
        let name = self.contact.as_ref().and_then(|contact| contact.name.as_deref());
        let phone = self.phone.as_ref().or(self.contact.as_ref().and_then(|contact| contact.phone.as_ref()));
        let is_name = name.is_some_and(|name| name.trim().to_lowercase() == shown.to_lowercase());
        let written = shown.parse::<frontdesk_kernel::Phone>().ok();
        is_name || written.is_some_and(|written| phone.is_some_and(|phone| phone.key() == written.key()))
    }
}
