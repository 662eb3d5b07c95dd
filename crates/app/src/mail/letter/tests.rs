use uuid::Uuid;

use super::*;

const BASE: &str = "https://desk.example.com";
const STOP: &str = "https://desk.example.com/mail/unsubscribe/x";
/// A name as somebody who attacks would choose it.
const ODD: &str = "Eve\r\nBcc: all@example.com <script>alert(1)</script> \"&' \u{202e}";

fn every(text: &str) -> Vec<Facts> {
    let text = || text.to_owned();
    let id = Uuid::from_u128(7);
    vec![
        Facts::Invitation { inviter: Some(text()), url: format!("{BASE}/app/password#token=secret") },
        Facts::Invitation { inviter: None, url: format!("{BASE}/app/password#token=secret") },
        Facts::PasswordReset { inviter: Some(text()), url: format!("{BASE}/app/password#token=secret") },
        Facts::PasswordReset { inviter: None, url: format!("{BASE}/app/password#token=secret") },
        Facts::EndpointDisabled { id, url: text(), reason: Some(text()) },
        Facts::ChannelDisconnected { id, channel: text(), reason: Some(text()) },
        Facts::BudgetWarning { spent_usd: 40.125, budget_usd: 50.0 },
        Facts::BudgetExhausted { spent_usd: 49.999, budget_usd: 50.0 },
        Facts::BroadcastStopped { id, broadcast: text(), reason: Some(text()) },
        Facts::Mention { conversation: id, author: text(), contact: Some(text()), note: text() },
        Facts::Mention { conversation: id, author: text(), contact: None, note: text() },
        Facts::Test,
    ]
}

fn letters(text: &str) -> Vec<Letter> {
    let languages = MailLanguage::ALL.iter();
    languages
        .flat_map(|language| {
            every(text).into_iter().map(|facts| Letter::new(&facts, *language, text, BASE, Some(STOP)))
        })
        .collect()
}

#[test]
fn every_mail_says_the_same_as_text_and_as_html_and_where_to_go() {
    for letter in letters("Ann") {
        let (text, html) = (letter.text(), letter.html());
        for paragraph in &letter.paragraphs {
            assert!(text.contains(paragraph) && html.contains(&escaped(paragraph)), "{paragraph}");
        }
        for (label, url) in letter.action.iter().chain(&letter.unsubscribe) {
            assert!(url.starts_with(BASE), "{url}");
            assert!(text.contains(url) && html.contains(&format!("href=\"{url}\"")), "{url}");
            assert!(text.contains(label) && html.contains(label), "{label}");
        }
        assert!(html.contains(&format!("<html lang=\"{}\">", letter.language.as_str())));
        assert!(html.contains(&format!("<title>{}</title>", escaped(&letter.subject))));
        for outside in ["<script", "<img", "<style", "<link", "http://"] {
            assert!(!html.contains(outside), "{outside}: {html}");
        }
    }
}

#[test]
fn no_name_breaks_a_line_or_the_html() {
    for letter in letters(ODD) {
        assert!(!letter.subject.contains(|c: char| c.is_control()), "{:?}", letter.subject);
        let (text, html) = (letter.text(), letter.html());
        assert!(!text.contains("\nBcc"), "{text}");
        assert!(!html.contains("<script"), "{html}");
        assert!(!text.contains('\u{202e}') && !html.contains('\u{202e}'), "{text}");
        assert!(text.split("\r\n").all(|line| !line.contains(['\r', '\n'])), "{text:?}");
    }
}

#[test]
fn words_of_others_are_short() {
    let long = "word ".repeat(10_000);
    for letter in letters(&long) {
        assert!(letter.text().chars().count() < 2_500, "{}", letter.text().len());
        assert!(letter.html().len() < 6_000, "{}", letter.html().len());
    }
}

#[test]
fn the_languages_differ_in_every_sentence() {
    for facts in every("Ann") {
        let letter = |language| Letter::new(&facts, language, "Acme", BASE, Some(STOP));
        let (english, german) = (letter(MailLanguage::English), letter(MailLanguage::German));
        assert_ne!(english.subject, german.subject);
        for (one, other) in english.paragraphs.iter().zip(&german.paragraphs) {
            assert_ne!(one, other);
        }
        assert_eq!(english.paragraphs.len(), german.paragraphs.len());
        assert_ne!(english.footer, german.footer);
        assert_eq!(english.quote, german.quote);
    }
}

#[test]
fn amounts_are_written_in_cents() {
    let facts = Facts::BudgetWarning { spent_usd: 40.0, budget_usd: 50.0 };
    let letter = Letter::new(&facts, MailLanguage::English, "Acme", BASE, None);
    assert!(letter.text().contains("40.00 of 50.00 USD"), "{}", letter.text());
    assert!(letter.unsubscribe.is_none() && !letter.html().contains(STOP));
}
