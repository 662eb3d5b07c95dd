//! What the server writes mails about, and how often.

use std::time::Duration;

use frontdesk_web::choice;

use crate::members::Role;

const MINUTE: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

choice! {
    /// What a mail is about.
    pub enum MailKind {
        /// A link by which a member joins the account.
        Invitation => "invitation",
        /// A link by which a member sets a new password.
        PasswordReset => "password_reset",
        EndpointDisabled => "endpoint_disabled",
        ChannelDisconnected => "channel_disconnected",
        /// 80 % of the month's AI budget is spent.
        BudgetWarning => "budget_warning",
        BudgetExhausted => "budget_exhausted",
        /// A broadcast ended before all of its messages were sent.
        BroadcastStopped => "broadcast_stopped",
        /// A colleague's note mentions the member, who has not looked at the conversation for an hour.
        Mention => "mention",
    }
}

frontdesk_db::text_column!(MailKind);

impl MailKind {
    /// Whether it is a link to the account, which nobody can decline.
    pub fn is_access(self) -> bool {
        matches!(self, Self::Invitation | Self::PasswordReset)
    }

    /// Whether members of a role get such mails, and may decline them.
    pub fn is_for(self, role: Role) -> bool {
        match self {
            Self::Invitation | Self::PasswordReset => false,
            Self::Mention => true,
            _ => role.manages(),
        }
    }

    /// The time in which one cause is mailed once.
    pub(super) fn period(self) -> Duration {
        match self {
            Self::Invitation => 5 * MINUTE,
            Self::PasswordReset => 15 * MINUTE,
            _ => DAY,
        }
    }

    /// Mails of this kind that one person may get in a day.
    pub(super) fn per_person_day_max(self) -> i64 {
        match self {
            Self::PasswordReset => 5,
            Self::Invitation => 10,
            _ => 50,
        }
    }

    /// How long it is tried. A link is made when it is sent, so it is never stale.
    pub fn tried_for(self) -> Duration {
        match self {
            Self::PasswordReset => Duration::from_hours(6),
            Self::Invitation => 3 * DAY,
            _ => DAY,
        }
    }
}

choice! {
    /// The languages of mails, which are those of the dashboard.
    pub enum MailLanguage {
        English => "en",
        German => "de",
    }
}

frontdesk_db::text_column!(MailLanguage);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_cannot_be_declined_and_agents_get_mentions_only() {
        for kind in MailKind::ALL {
            assert!(!(kind.is_access() && kind.is_for(Role::Owner)), "{}", kind.as_str());
            assert_eq!(kind.is_for(Role::Agent), *kind == MailKind::Mention, "{}", kind.as_str());
            assert_eq!(kind.is_for(Role::Admin), kind.is_for(Role::Owner), "{}", kind.as_str());
        }
    }
}
