//! Server-sent events: bytes to events. No I/O.

/// An event is a row with its fields; this is far more.
const EVENT_BYTES_MAX: usize = 16 << 20;

/// An event of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) id: Option<String>,
    /// Its type; empty if it has none.
    pub(crate) event: String,
    pub(crate) data: String,
}

/// The stream sends an event that is too long to be kept.
#[derive(Debug)]
pub(crate) struct TooLong;

/// Collects bytes until a line, and lines until an event, is complete.
#[derive(Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    /// The last line ended with a carriage return, so a line feed belongs to it.
    after_return: bool,
    coming: Sent,
    has_data: bool,
}

impl Parser {
    /// The events that these bytes complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Sent>, TooLong> {
        let mut complete = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => complete.extend(self.end_line()),
                _ => self.line.push(byte),
            }
        }
        if self.line.len() + self.coming.data.len() > EVENT_BYTES_MAX {
            return Err(TooLong);
        }
        Ok(complete)
    }

    fn end_line(&mut self) -> Option<Sent> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        if line.is_empty() {
            let sent = std::mem::take(&mut self.coming);
            return std::mem::take(&mut self.has_data).then_some(sent);
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.coming.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.coming.event),
            "data" => {
                if self.has_data {
                    self.coming.data.push('\n');
                }
                self.has_data = true;
                self.coming.data.push_str(value);
            }
            // A comment, which keeps the connection open, or a field that means nothing here.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "retry: 1000\n\n: ping\n\nid: evt_1\nevent: contact.created\ndata: {\"name\": \"Zoë\"}\n\n\
                          data: a\r\ndata:b\r\n\r\nevent: nothing\n\nid: evt_2\rdata\r\rdata: cut";

    fn event(id: Option<&str>, event: &str, data: &str) -> Sent {
        Sent { id: id.map(str::to_owned), event: event.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_are_complete_however_the_bytes_are_cut() {
        let wanted = [
            event(Some("evt_1"), "contact.created", "{\"name\": \"Zoë\"}"),
            event(None, "", "a\nb"),
            event(Some("evt_2"), "", ""),
        ];
        for size in 1..STREAM.len() {
            let mut parser = Parser::default();
            let found: Vec<Sent> =
                STREAM.as_bytes().chunks(size).flat_map(|chunk| parser.push(chunk).unwrap()).collect();
            assert_eq!(found, wanted, "cut into {size} bytes");
        }
    }

    #[test]
    fn an_event_without_an_end_is_not_kept_forever() {
        let mut parser = Parser::default();
        let chunk = vec![b'a'; 1 << 20];
        let pushed = (0..20).find_map(|_| parser.push(&chunk).err());
        assert!(pushed.is_some());
    }
}
