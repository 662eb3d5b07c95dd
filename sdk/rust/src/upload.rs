//! Files to upload.

use bytes::Bytes;
use http::header::HeaderValue;
use uuid::Uuid;

use crate::call::Call;

/// A file to upload.
///
/// ```no_run
/// # async fn example(client: frontdesk::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use frontdesk::Upload;
///
/// let bytes = std::fs::read("chairs.pdf")?;
/// let file = client.media().upload(Upload::new("chairs.pdf", bytes)).await?;
/// println!("{}", file.url);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Upload {
    filename: String,
    content_type: String,
    bytes: Bytes,
}

impl Upload {
    /// A file with this name and content. Its type is that of the name's ending.
    pub fn new(filename: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        let filename = filename.into();
        let content_type = type_of(&filename).to_owned();
        Self { filename, content_type, bytes: bytes.into() }
    }

    /// What it is, such as `image/png`, if the name does not tell.
    pub fn content_type(mut self, content_type: impl Into<String>) -> Self {
        self.content_type = content_type.into();
        self
    }

    /// Makes it the body of a call: a form with the part `file`.
    pub(crate) fn form(self, mut call: Call) -> Call {
        call.is_file = true;
        let boundary = format!("frontdesk-{}", Uuid::new_v4().simple());
        // As browsers write names: these characters would end it.
        let filename = self.filename.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        let content_type = self.content_type.replace(['\r', '\n'], " ");
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{filename}\"\r\n\
             Content-Type: {content_type}\r\n\r\n"
        );
        let body = [head.as_bytes(), &self.bytes, format!("\r\n--{boundary}--\r\n").as_bytes()].concat();
        let multipart = format!("multipart/form-data; boundary={boundary}");
        // The boundary is made of letters and digits.
        let multipart =
            HeaderValue::try_from(multipart).unwrap_or(HeaderValue::from_static("multipart/form-data"));
        call.body(body.into(), &multipart)
    }
}

/// The type of a file with this name, for what people send.
fn type_of(filename: &str) -> &'static str {
    let ending = filename.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    match ending.as_deref() {
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("png") => "image/png",
        Some("webp") => "image/webp",
        Some("gif") => "image/gif",
        Some("mp4") => "video/mp4",
        Some("3gp") => "video/3gpp",
        Some("mp3") => "audio/mpeg",
        Some("ogg" | "opus") => "audio/ogg",
        Some("m4a") => "audio/mp4",
        Some("pdf") => "application/pdf",
        Some("txt") => "text/plain",
        Some("csv") => "text/csv",
        Some("docx") => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Some("xlsx") => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_what_a_file_is() {
        for (name, kind) in
            [("a.JPG", "image/jpeg"), ("a.b.pdf", "application/pdf"), ("pdf", "application/octet-stream")]
        {
            assert_eq!(Upload::new(name, "").content_type, kind);
        }
    }

    #[test]
    fn a_name_cannot_end_its_header() {
        let upload = Upload::new("a\"\r\nX: y\r\n\r\n.txt", "hello").content_type("text/plain\r\nX: y");
        let call = upload.form(Call::post("/api/v1/media"));
        let body = String::from_utf8(call.body.to_vec()).unwrap();
        assert!(body.contains(
            "filename=\"a%22%0D%0AX: y%0D%0A%0D%0A.txt\"\r\nContent-Type: text/plain  X: y\r\n\r\nhello\r\n--"
        ));
        assert_eq!(body.matches("\r\n\r\n").count(), 1);
    }
}
