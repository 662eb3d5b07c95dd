//! Brings members. They set a password by a link, as every new member does.

use frontdesk_kernel::Ids;
use frontdesk_platform::members::{self, MemberError, Role};

use super::account::name_of;
use super::import::{Import, Outcome};
use super::people::Person;
use crate::clock;
use crate::error::Result;

const MEMBER: &str = "members";

impl Import<'_> {
    pub(super) async fn bring_members(&mut self) -> Result<()> {
        let kind = self.kind("member");
        for person in Person::all(self.source, self.theirs.id)? {
            let Some(email) = person.email() else {
                self.tally.left_out("members without an email address", person.name);
                continue;
            };
            let (kind, account, now) = (kind.clone(), self.account, clock::now());
            let role = if person.is_administrator { Role::Admin } else { Role::Agent };
            let name = name_of(&person.name, email.as_str());
            let number = person.id;
            let (id, outcome) = self
                .server
                .store
                .write(move |tx| {
                    if let Some(known) = kind.find(tx, number)? {
                        return Ok((known, Outcome::ThereBefore));
                    }
                    let (id, outcome) = match members::add(tx, &Ids::new(), account, &name, &email, role, now)
                    {
                        Ok(id) => (id, Outcome::Brought),
                        Err(MemberError::EmailTaken(existing)) => (existing, Outcome::Joined),
                        Err(error) => return Err(error),
                    };
                    kind.note(tx, number, id.uuid())?;
                    Ok::<_, MemberError>((id.uuid(), outcome))
                })
                .await?;
            self.members.insert(number, frontdesk_kernel::Id::from_uuid(id));
            self.count(MEMBER, outcome);
        }
        Ok(())
    }
}
