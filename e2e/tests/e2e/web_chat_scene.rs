//! What tests of the web chat begin with: a chat on somebody's website, and its visitors.

use std::ops::Deref;

use frontdesk_e2e::{Client, Engine, Given, Response, Start, Wire};
use serde_json::{Value, json};

use crate::app_scene::{Browser, member};
use crate::inbox_scene::{Inbox, id, reply, start};
use crate::shapes::text;

/// An inbox with a chat. What an inbox does, it does.
pub(crate) struct Chat {
    inbox: Inbox,
    pub(crate) connection: String,
}

/// Somebody with a token.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) token: String,
    caller: Client,
    pub(crate) path: String,
}

/// A stream as a browser reads it.
pub(crate) struct Stream {
    wire: Wire,
    unread: String,
    pub(crate) head: Response,
}

/// What a stream told: the id of the event, and the message.
pub(crate) type Heard = (String, Value);

impl Given for Chat {
    fn given(engine: Engine) -> Self {
        Self::of(start(engine))
    }
}

impl Deref for Chat {
    type Target = Inbox;

    fn deref(&self) -> &Inbox {
        &self.inbox
    }
}

/// Where a chat answers.
pub(crate) fn door(connection: &str, what: &str) -> String {
    format!("/channels/web_chat/{connection}/{what}")
}

impl Chat {
    pub(crate) fn of(start: Start) -> Self {
        let inbox = Inbox::of(start);
        let connection = inbox.connect("web_chat");
        Self { inbox, connection }
    }

    /// Where this chat answers.
    pub(crate) fn path(&self, what: &str) -> String {
        door(&self.connection, what)
    }

    /// Somebody without a token.
    pub(crate) fn anybody(&self) -> Client {
        self.app.anonymous().vendors()
    }

    /// Somebody who did not introduce themselves.
    #[track_caller]
    pub(crate) fn visitor(&self) -> Visitor {
        self.visitor_as(json!({}))
    }

    #[track_caller]
    pub(crate) fn visitor_as(&self, introduction: Value) -> Visitor {
        self.visitor_of(&self.connection, introduction)
    }

    /// A visitor of another chat.
    #[track_caller]
    pub(crate) fn visitor_of(&self, connection: &str, introduction: Value) -> Visitor {
        let made = self.anybody().post(&door(connection, "visitors"), introduction).expect(201);
        let token = text(&made.data()["token"]).to_owned();
        Visitor { caller: self.anybody().with_key(&token), token, path: door(connection, "") }
    }

    /// A browser in which an admin of the account is signed in.
    #[track_caller]
    pub(crate) fn admin(&self) -> Browser {
        member(&self.app, &self.tenant.account, "ada@example.com", "admin");
        Browser::new(&self.app).sign_in("ada@example.com")
    }

    /// What every page reads about this chat.
    #[track_caller]
    pub(crate) fn config(&self) -> Value {
        self.anybody().get(&self.path("config")).expect(200).data().clone()
    }

    /// The conversation of a message as its visitor sees it.
    #[track_caller]
    pub(crate) fn conversation_of(&self, said: &Value) -> Value {
        self.conversation(text(&self.message(&said["id"])["conversation_id"]))
    }

    /// The contact behind a message as its visitor sees it.
    #[track_caller]
    pub(crate) fn contact_of(&self, said: &Value) -> Value {
        let contact = self.conversation_of(said)["contact_id"].clone();
        self.client.get(&format!("/contacts/{}", text(&contact))).expect(200).data().clone()
    }

    /// A visitor who has said hello, and the id of the conversation.
    #[track_caller]
    pub(crate) fn met(&self) -> (Visitor, String) {
        let visitor = self.visitor();
        let said = visitor.says("Hello!");
        let conversation = id(&self.conversation_of(&said)).to_owned();
        (visitor, conversation)
    }

    /// Our side says something: the message.
    #[track_caller]
    pub(crate) fn replies(&self, conversation: &str, words: &str) -> Value {
        self.sends(reply(conversation, words))
    }

    /// Opens a visitor's stream, as a browser does after it had this event.
    #[track_caller]
    pub(crate) fn stream(&self, visitor: &Visitor, last: Option<&str>) -> Stream {
        self.stream_by(&format!("{}stream?token={}", visitor.path, visitor.token), last)
    }

    #[track_caller]
    pub(crate) fn stream_by(&self, path: &str, last: Option<&str>) -> Stream {
        let mut wire = self.app.wire();
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        let asked = format!("GET {path} HTTP/1.1\r\nHost: a\r\nOrigin: https://shop.example\r\n{last}\r\n");
        wire.send(asked).expect("the server reads");
        let head = wire.begun().expect(200);
        Stream { wire, unread: String::new(), head }
    }
}

impl Visitor {
    /// The same visitor at another address, which a proxy tells.
    pub(crate) fn at(&self, address: &str) -> Self {
        Self { caller: self.caller.with("x-forwarded-for", address), ..self.clone() }
    }

    /// The same visitor with another token.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        Self { caller: self.caller.with_key(token), token: token.to_owned(), path: self.path.clone() }
    }

    #[track_caller]
    pub(crate) fn post(&self, what: &str, body: Value) -> Response {
        self.caller.post(&format!("{}{what}", self.path), body)
    }

    #[track_caller]
    pub(crate) fn get(&self, what: &str) -> Response {
        self.caller.get(&format!("{}{what}", self.path))
    }

    /// Says something that must be taken: the message as they see it.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> Value {
        self.tells(json!({ "text": words }))
    }

    #[track_caller]
    pub(crate) fn tells(&self, message: Value) -> Value {
        self.post("messages", message).expect(201).data().clone()
    }

    /// Sends a file as a message.
    #[track_caller]
    pub(crate) fn sends_file(&self, name: &str, client_id: &str, content: &[u8]) -> Response {
        let path = format!("{}files?name={name}&client_id={client_id}", self.path);
        self.caller.with("content-type", "application/octet-stream").send("POST", &path, Some(content))
    }

    /// All that they see.
    #[track_caller]
    pub(crate) fn sees(&self) -> Vec<Value> {
        self.get("messages?limit=100").expect(200).data().as_array().expect("a list").clone()
    }
}

impl Stream {
    /// The next event as it stands, without the blank line; none when the stream has ended.
    #[track_caller]
    pub(crate) fn frame(&mut self) -> Option<String> {
        loop {
            if let Some((frame, rest)) = self.unread.split_once("\n\n") {
                let frame = frame.to_owned();
                self.unread = rest.to_owned();
                return Some(frame);
            }
            let chunk = self.wire.chunk().unwrap_or_else(|error| panic!("the stream broke off: {error}"));
            if chunk.is_empty() {
                assert_eq!(self.unread, "", "it ended within an event");
                return None;
            }
            self.unread.push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }

    /// The next message.
    #[track_caller]
    pub(crate) fn hears(&mut self) -> Heard {
        loop {
            let frame = self.frame().expect("it ended");
            let part = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
            if let (Some(id), Some(data)) = (part("id: "), part("data: ")) {
                return (id.to_owned(), serde_json::from_str(data).expect("JSON"));
            }
        }
    }

    /// Messages up to the one with this text.
    #[track_caller]
    pub(crate) fn hears_up_to(&mut self, words: &str) -> Vec<Heard> {
        let mut heard = Vec::new();
        while heard.last().is_none_or(|(_, message): &Heard| message["text"] != words) {
            heard.push(self.hears());
        }
        heard
    }

    /// Waits for its end: what was still told.
    #[track_caller]
    pub(crate) fn ends(mut self) -> Vec<String> {
        std::iter::from_fn(|| self.frame()).collect()
    }
}

/// The texts of messages.
#[track_caller]
pub(crate) fn texts(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| text(&message["text"])).collect()
}
