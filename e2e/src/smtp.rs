//! An SMTP server for tests, on a loopback port of the test's own process.
//!
//! It keeps every mail whose words have arrived, also one that it did not accept. What it does at a step is scripted, in
//! turn; without a script it accepts everything.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::database::tls_file;
use crate::until::PATIENCE;

/// The user that the server wants.
const SMTP_USER: &str = "desk";
/// The password that it wants.
pub const SMTP_PASSWORD: &str = "hunter2hunter2";

/// A step of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpStep {
    Connect,
    SignIn,
    Recipient,
    /// The words are announced.
    Data,
    /// The words have arrived.
    Message,
}

/// What the server does at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpAct {
    /// Responds with this code.
    Reply(u16),
    /// Closes the connection.
    Break,
    /// Does not respond, until [`SmtpServer::release`].
    Hold,
}

/// A mail whose words have arrived.
#[derive(Clone, Debug)]
pub struct Mail {
    pub from: String,
    pub to: String,
    /// As it came, without the dots that were stuffed.
    pub source: String,
    pub is_accepted: bool,
}

/// The server, gone when dropped.
#[derive(Debug)]
pub struct SmtpServer {
    address: SocketAddr,
    desk: Arc<Desk>,
}

#[derive(Debug, Default)]
struct Desk {
    state: Mutex<State>,
    changed: Condvar,
    /// Nobody signs in before the connection is encrypted by this.
    tls: Option<Arc<ServerConfig>>,
}

trait Stream: Read + Write {}

impl<S: Read + Write> Stream for S {}

#[derive(Debug, Default)]
struct State {
    mails: Vec<Mail>,
    script: VecDeque<(SmtpStep, SmtpAct)>,
    /// The steps that were reached, in order.
    reached: Vec<SmtpStep>,
    is_released: bool,
    is_closed: bool,
}

impl SmtpServer {
    pub fn start() -> Self {
        Self::run(Desk::default())
    }

    /// A server that wants STARTTLS, with the certificate of the test servers.
    pub fn start_encrypted() -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = CertificateDer::pem_file_iter(tls_file("server.pem")).expect("a file");
        let chain = chain.collect::<Result<_, _>>().expect("certificates");
        let key = PrivateKeyDer::from_pem_file(tls_file("server.key")).expect("a key");
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("the key of the certificate");
        Self::run(Desk { tls: Some(Arc::new(config)), ..Desk::default() })
    }

    fn run(desk: Desk) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let desk = Arc::new(desk);
        let shared = desk.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.held().is_closed {
                    return;
                }
                let desk = shared.clone();
                // A broken conversation is the client's to report.
                thread::spawn(move || desk.converse(&stream));
            }
        });
        Self { address, desk }
    }

    /// The value of `FRONTDESK_SMTP_URL`.
    pub fn url(&self) -> String {
        if self.desk.tls.is_some() {
            let port = self.address.port();
            return format!("smtp://{SMTP_USER}:{SMTP_PASSWORD}@localhost:{port}?tls=required");
        }
        format!("smtp://{SMTP_USER}:{SMTP_PASSWORD}@{}", self.address)
    }

    /// Does this at the next conversation that reaches the step, after what was scripted before.
    pub fn script(&self, step: SmtpStep, act: SmtpAct) {
        self.desk.held().script.push_back((step, act));
    }

    /// Lets every held conversation go on.
    pub fn release(&self) {
        self.desk.held().is_released = true;
        self.desk.changed.notify_all();
    }

    /// Every mail whose words have arrived.
    pub fn mails(&self) -> Vec<Mail> {
        self.desk.held().mails.clone()
    }

    /// The mails to an address.
    pub fn mails_to(&self, to: &str) -> Vec<Mail> {
        self.mails().into_iter().filter(|mail| mail.to == to).collect()
    }

    /// How often a step was reached.
    pub fn count(&self, step: SmtpStep) -> usize {
        self.desk.held().reached.iter().filter(|reached| **reached == step).count()
    }

    /// Waits until a step was reached so often.
    #[track_caller]
    pub fn wait_for(&self, step: SmtpStep, times: usize) {
        self.wait(&format!("{step:?} {times} times"), |state| {
            state.reached.iter().filter(|reached| **reached == step).count() >= times
        });
    }

    /// Waits for so many mails to an address.
    #[track_caller]
    pub fn wait_for_mails(&self, to: &str, many: usize) -> Vec<Mail> {
        self.wait(&format!("{many} mails to {to}"), |state| {
            state.mails.iter().filter(|mail| mail.to == to).count() >= many
        });
        self.mails_to(to)
    }

    #[track_caller]
    fn wait(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.desk.held();
        while !is_so(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "never came: {what}; {state:?}");
            state = self.desk.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        {
            let mut state = self.desk.held();
            (state.is_closed, state.is_released) = (true, true);
        }
        self.desk.changed.notify_all();
        // The listener looks whether it is closed.
        let _woken = TcpStream::connect(self.address);
    }
}

impl Desk {
    fn held(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a step, and does what is scripted for it. The code to respond with; none ends the conversation.
    fn reach(&self, step: SmtpStep, usual: u16) -> Option<u16> {
        let mut state = self.held();
        state.reached.push(step);
        let scripted = state.script.front().copied().filter(|(at, _)| *at == step);
        if scripted.is_some() {
            state.script.pop_front();
        }
        self.changed.notify_all();
        match scripted.map(|(_, act)| act) {
            None => Some(usual),
            Some(SmtpAct::Reply(code)) => Some(code),
            Some(SmtpAct::Break) => None,
            Some(SmtpAct::Hold) => {
                while !state.is_released {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                Some(usual)
            }
        }
    }

    /// Holds one conversation; none when it breaks.
    fn converse(&self, stream: &TcpStream) -> Option<()> {
        let mut lines: BufReader<Box<dyn Stream>> = BufReader::new(Box::new(stream.try_clone().ok()?));
        let mut is_open = self.tls.is_none();
        say(&mut lines, self.reach(SmtpStep::Connect, 220)?, "mail.test")?;
        let (mut from, mut to, mut signed_in) = (String::new(), String::new(), false);
        loop {
            let line = read_line(&mut lines)?;
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
            match verb.as_str() {
                "EHLO" => {
                    let offered = if is_open { "AUTH PLAIN LOGIN" } else { "STARTTLS" };
                    let told = format!("250-mail.test\r\n250-{offered}\r\n250 SMTPUTF8\r\n");
                    lines.get_mut().write_all(told.as_bytes()).ok()?;
                    lines.get_mut().flush().ok()?;
                }
                "STARTTLS" => {
                    say(&mut lines, 220, "go ahead")?;
                    let connection = ServerConnection::new(self.tls.clone()?).ok()?;
                    lines = BufReader::new(Box::new(StreamOwned::new(connection, stream.try_clone().ok()?)));
                    is_open = true;
                }
                "AUTH" if !is_open => say(&mut lines, 538, "encrypt first")?,
                "AUTH" => {
                    let wanted = format!("AUTH PLAIN {}", plain());
                    let usual = if line == wanted { 235 } else { 535 };
                    let code = self.reach(SmtpStep::SignIn, usual)?;
                    signed_in = code == 235;
                    say(&mut lines, code, "as you say")?;
                }
                "MAIL" | "RCPT" | "DATA" if !signed_in => say(&mut lines, 530, "sign in first")?,
                "MAIL" => {
                    from = address(&line);
                    say(&mut lines, 250, "yes")?;
                }
                "RCPT" => {
                    to = address(&line);
                    let code = self.reach(SmtpStep::Recipient, 250)?;
                    say(&mut lines, code, &format!("about <{to}>"))?;
                }
                "DATA" => {
                    let code = self.reach(SmtpStep::Data, 354)?;
                    say(&mut lines, code, "go on")?;
                    if code != 354 {
                        continue;
                    }
                    let source = words(&mut lines)?;
                    let mail = Mail { from: from.clone(), to: to.clone(), source, is_accepted: false };
                    let at = {
                        let mut state = self.held();
                        state.mails.push(mail);
                        state.mails.len() - 1
                    };
                    let code = self.reach(SmtpStep::Message, 250)?;
                    self.held().mails[at].is_accepted = code == 250;
                    say(&mut lines, code, "queued as 42")?;
                }
                "RSET" | "NOOP" => say(&mut lines, 250, "yes")?,
                "QUIT" => return say(&mut lines, 221, "goodbye"),
                _ => say(&mut lines, 502, "no such command")?,
            }
        }
    }
}

/// Responds on one line.
fn say(lines: &mut BufReader<Box<dyn Stream>>, code: u16, words: &str) -> Option<()> {
    let out = lines.get_mut();
    out.write_all(format!("{code} {words}\r\n").as_bytes()).and_then(|()| out.flush()).ok()
}

fn read_line(lines: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    if lines.read_line(&mut line).ok()? == 0 {
        return None;
    }
    assert!(line.ends_with("\r\n"), "a line ends with CRLF: {line:?}");
    Some(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// The words of a mail, up to the dot.
fn words(lines: &mut impl BufRead) -> Option<String> {
    let mut source = String::new();
    loop {
        let line = read_line(lines)?;
        if line == "." {
            return Some(source);
        }
        source.push_str(line.strip_prefix('.').unwrap_or(&line));
        source.push_str("\r\n");
    }
}

fn address(line: &str) -> String {
    let (_, rest) = line.split_once('<').unwrap_or_default();
    rest.split('>').next().unwrap_or_default().to_owned()
}

/// What a client sends that signs in with PLAIN.
fn plain() -> String {
    base64(format!("\0{SMTP_USER}\0{SMTP_PASSWORD}").as_bytes())
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let letter = char::from(ALPHABET[(bits >> (18 - 6 * at)) as usize & 63]);
            text.push(if at <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

fn unbase64(text: &str) -> Vec<u8> {
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes().filter_map(|byte| ALPHABET.iter().position(|known| *known == byte)) {
        held = (held << 6) | letter as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}

fn unquoted(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'=' {
            bytes.push(*first);
        } else if let Some(after) = after.strip_prefix(b"\r\n") {
            rest = after;
        } else {
            let digits = std::str::from_utf8(&after[..2]).expect("two digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("hexadecimal"));
            rest = &after[2..];
        }
    }
    bytes
}

impl Mail {
    /// The value of a header, unfolded but not decoded; none if there is none.
    pub fn header(&self, name: &str) -> Option<String> {
        let (head, _) = self.source.split_once("\r\n\r\n").expect("a head and a body");
        let head = head.replace("\r\n ", " ");
        let begins = format!("{}:", name.to_lowercase());
        let found = head.split("\r\n").find(|line| line.to_lowercase().starts_with(&begins))?;
        Some(found[begins.len()..].trim().to_owned())
    }

    /// The names of all headers.
    pub fn headers(&self) -> Vec<String> {
        let (head, _) = self.source.split_once("\r\n\r\n").expect("a head and a body");
        let head = head.replace("\r\n ", " ");
        head.split("\r\n").map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect()
    }

    /// The words as text.
    pub fn text(&self) -> String {
        self.part("text/plain")
    }

    /// The words as HTML.
    pub fn html(&self) -> String {
        self.part("text/html")
    }

    fn part(&self, kind: &str) -> String {
        let (_, after) = self.source.split_once(&format!("Content-Type: {kind}")).expect("the part");
        let (head, body) = after.split_once("\r\n\r\n").expect("a head and a body");
        let (_, boundary) = self.source.split_once("boundary=\"").expect("parts");
        let boundary = boundary.split('"').next().unwrap_or_default();
        let body = body.split(&format!("\r\n--{boundary}")).next().unwrap_or_default();
        let bytes = if head.contains("base64") {
            unbase64(body)
        } else if head.contains("quoted-printable") {
            unquoted(body)
        } else {
            body.as_bytes().to_vec()
        };
        String::from_utf8(bytes).expect("UTF-8")
    }

    /// The one-time link in it.
    #[track_caller]
    pub fn link(&self) -> String {
        let text = self.text();
        let link = text.split_whitespace().find(|word| word.contains("#token="));
        link.unwrap_or_else(|| panic!("no link: {text}")).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back() {
        for text in ["", "a", "ab", "abc", "\0desk\0hunter2"] {
            assert_eq!(unbase64(&base64(text.as_bytes())), text.as_bytes(), "{text}");
        }
        assert_eq!(base64(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
        assert_eq!(unquoted("a=3D=C3=BC=\r\nb"), "a=üb".as_bytes());
    }
}
