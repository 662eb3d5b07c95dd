//! No crash loses a mail that was not handed over, and none sends one twice.

use frontdesk_e2e::{SmtpAct, SmtpStep, on_every_engine};

use crate::app_scene::OWNER;
use crate::mail_scene::{Mails, uses_link};

on_every_engine! {
    a_mail_whose_conversation_had_begun_is_sent_after_a_kill,
    a_mail_whose_words_were_announced_is_not_sent_twice,
    a_mail_whose_words_had_arrived_is_not_sent_twice,
    queued_mails_survive_a_kill,
}

const MIA: &str = "mia@example.com";

/// Kills the server at a step of the conversation, and starts it again. The clock moves past every lease.
fn kill_at(mails: &Mails, step: SmtpStep) {
    mails.smtp.script(step, SmtpAct::Hold);
    mails.invites("Mia", MIA);
    mails.smtp.wait_for(step, 1);
    mails.app().kill();
    mails.smtp.release();
    mails.app().restart();
    for _ in 0..3 {
        mails.inbox.advance(10 * 60);
    }
}

fn a_mail_whose_conversation_had_begun_is_sent_after_a_kill(mails: Mails) {
    kill_at(&mails, SmtpStep::Recipient);
    let mail = mails.has(MIA, 1).remove(0);
    // The link was made after the restart, so it leads to the address of now.
    assert!(uses_link(mails.app(), &mail, "another horse battery").is_in());
}

fn a_mail_whose_words_were_announced_is_not_sent_twice(mails: Mails) {
    kill_at(&mails, SmtpStep::Data);
    assert!(mails.smtp.mails_to(MIA).is_empty(), "it was begun, so it is not begun again");
    assert_eq!(mails.smtp.count(SmtpStep::Data), 1);
    // A person who gets none asks again.
    mails.inbox.advance(301);
    mails.loses_password(MIA);
    mails.has(MIA, 1);
}

fn a_mail_whose_words_had_arrived_is_not_sent_twice(mails: Mails) {
    kill_at(&mails, SmtpStep::Message);
    mails.has(MIA, 1);
    assert_eq!(mails.smtp.count(SmtpStep::Connect), 1);
}

fn queued_mails_survive_a_kill(mails: Mails) {
    for _ in 0..2 {
        mails.smtp.script(SmtpStep::Connect, SmtpAct::Break);
    }
    mails.invites("Mia", MIA);
    mails.smtp.wait_for(SmtpStep::Connect, 1);
    mails.loses_password(OWNER);
    mails.smtp.wait_for(SmtpStep::Connect, 2);
    mails.inbox.settle();
    mails.app().kill();
    mails.app().restart();
    for _ in 0..3 {
        mails.inbox.advance(10 * 60);
    }
    mails.has(MIA, 1);
    mails.has(OWNER, 1);
}
