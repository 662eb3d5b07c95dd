//! Bodies of `multipart/form-data`.

use bytes::Bytes;
use http::HeaderValue;

/// A form that is being written.
pub(crate) struct Multipart {
    parts: Vec<(String, Bytes)>,
    chance: u64,
}

/// A finished form.
pub(crate) struct Form {
    pub(crate) content_type: HeaderValue,
    pub(crate) body: Bytes,
}

impl Multipart {
    pub(crate) fn new(chance: u64) -> Self {
        Self { parts: Vec::new(), chance }
    }

    /// `name` is one of ours and needs no escaping.
    pub(crate) fn text(&mut self, name: &'static str, value: &str) {
        let head = format!("content-disposition: form-data; name=\"{name}\"\r\n\r\n");
        self.parts.push((head, Bytes::copy_from_slice(value.as_bytes())));
    }

    /// The file's name is one of ours, so that nothing a customer chose gets into a header.
    pub(crate) fn file(
        &mut self,
        name: &'static str,
        file_name: &'static str,
        kind: &'static str,
        content: &Bytes,
    ) {
        let head = format!(
            "content-disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\ncontent-type: {kind}\r\n\r\n"
        );
        self.parts.push((head, content.clone()));
    }

    pub(crate) fn finish(self) -> Form {
        let boundary = self.boundary();
        let mut body = Vec::new();
        for (head, content) in &self.parts {
            body.extend_from_slice(format!("--{boundary}\r\n{head}").as_bytes());
            body.extend_from_slice(content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let content_type = HeaderValue::from_str(&format!("multipart/form-data; boundary={boundary}"));
        Form { content_type: content_type.expect("a boundary of plain letters"), body: body.into() }
    }

    /// A boundary that occurs in no part.
    fn boundary(&self) -> String {
        let occurs = |boundary: &str| {
            self.parts.iter().any(|(_, content)| {
                content.windows(boundary.len()).any(|window| window == boundary.as_bytes())
            })
        };
        let mut chance = self.chance;
        loop {
            let boundary = format!("frontdesk{chance:016x}");
            if !occurs(&boundary) {
                return boundary;
            }
            chance = chance.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boundary_inside_the_content_is_avoided() {
        let mut form = Multipart::new(0);
        form.text("model", "frontdesk0000000000000000");
        let form = form.finish();
        assert_eq!(form.content_type, "multipart/form-data; boundary=frontdesk0000000000000001");
        assert_eq!(
            form.body,
            "--frontdesk0000000000000001\r\ncontent-disposition: form-data; name=\"model\"\r\n\r\n\
             frontdesk0000000000000000\r\n--frontdesk0000000000000001--\r\n"
        );
    }
}
