//! Bodies of `multipart/form-data`.

use bytes::Bytes;

use crate::outgoing::File;

/// A finished form.
pub(super) struct Form {
    pub(super) content_type: String,
    pub(super) body: Bytes,
}

/// Writes fields and a file. Names of fields are ours and need no escaping.
pub(super) fn write(fields: &[(&str, &str)], name: &str, file: &File<'_>) -> Form {
    let boundary = boundary(fields, file.bytes);
    let mut body = Vec::with_capacity(file.bytes.len() + 1_024);
    for (name, value) in fields {
        let part =
            format!("--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    let head = format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"{}\"\r\ncontent-type: {}\r\n\r\n",
        plain(file.filename.unwrap_or("file")),
        plain(file.content_type)
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(file.bytes);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    Form { content_type: format!("multipart/form-data; boundary={boundary}"), body: body.into() }
}

/// What can stand in a header without ending it.
fn plain(text: &str) -> String {
    text.chars().filter(|c| (c.is_ascii_graphic() || *c == ' ') && *c != '"').collect()
}

/// A boundary that occurs in no part.
fn boundary(fields: &[(&str, &str)], bytes: &[u8]) -> String {
    let occurs = |boundary: &str| {
        let within = |part: &[u8]| part.windows(boundary.len()).any(|window| window == boundary.as_bytes());
        within(bytes) || fields.iter().any(|(_, value)| within(value.as_bytes()))
    };
    let mut number = 0_u64;
    loop {
        let boundary = format!("frontdesk{number:016x}");
        if !occurs(&boundary) {
            return boundary;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incoming::MediaKind;

    #[test]
    fn nothing_that_somebody_chose_ends_a_part() {
        let bytes = Bytes::from_static(b"a\r\n--frontdesk0000000000000000--\r\n");
        let file = File {
            kind: MediaKind::Document,
            bytes: &bytes,
            content_type: "text/plain\r\nx: y",
            filename: Some("a\"b\r\n.txt"),
        };
        let form = write(&[("type", "text/plain")], "file", &file);
        assert_eq!(form.content_type, "multipart/form-data; boundary=frontdesk0000000000000001");
        let text = String::from_utf8(form.body.to_vec()).unwrap();
        assert!(text.contains("filename=\"ab.txt\"\r\ncontent-type: text/plainx: y\r\n\r\na\r\n"), "{text}");
        assert_eq!(text.matches("--frontdesk0000000000000001").count(), 3);
    }
}
