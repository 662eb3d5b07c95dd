//! Forms with files, and links to files, that nobody wrote.

use std::io;
use std::str::from_utf8;

use bytes::Bytes;
use frontdesk_fuzz::Target;
use frontdesk_kernel::Timestamp;
use futures_util::stream;
use uuid::Uuid;

use super::upload::file_part;
use super::{Links, MediaId};

const BOUNDARY: &str = "boundary";

/// The size of the file of a form that arrives in pieces of this size; none without a file.
async fn file_bytes(form: &[u8], piece: usize) -> Result<Option<usize>, u16> {
    let pieces: Vec<_> =
        form.chunks(piece).map(|piece| Ok::<_, io::Error>(Bytes::copy_from_slice(piece))).collect();
    let body = Box::pin(stream::iter(pieces));
    let field = file_part(body, BOUNDARY.to_owned()).await.map_err(|failure| failure.status().as_u16())?;
    let Some(mut field) = field else { return Ok(None) };
    let mut bytes = 0;
    while let Some(chunk) = field.chunk().await.map_err(|_| 400_u16)? {
        bytes += chunk.len();
    }
    Ok(Some(bytes))
}

#[test]
fn fuzzed_forms_have_a_file_or_are_refused() {
    let examples = [
        "--boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nwords\r\n--boundary--\r\n",
        "--boundary\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--boundary\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n\r\n--boundary--",
    ];
    let words = [
        "--boundary",
        "--boundary--",
        "\r\n",
        "\r\n\r\n",
        "\n",
        "Content-Disposition: form-data; name=\"file\"",
        "filename*=UTF-8''%00",
        "Content-Type: ",
        "; ",
        "\"",
        "\r\n--",
        "preamble",
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    Target::new("multipart").examples(examples).words(words).bytes_max(32 << 10).run(|bytes| {
        let whole = runtime.block_on(file_bytes(bytes, usize::MAX));
        assert!(whole.is_err() || whole.is_ok_and(|file| file.is_none_or(|size| size < bytes.len())));
        // The limit of headers counts pieces, so what is long may be refused in one form and not in the other.
        if bytes.len() < 4 << 10 {
            assert_eq!(runtime.block_on(file_bytes(bytes, 7)), whole, "it does not matter how it arrives");
        }
        whole.map(|file| file.is_some())
    });
}

#[test]
fn fuzzed_links_of_files_open_only_as_they_were_signed() {
    let links = Links::for_tests([7; 32], "https://x.example");
    let now = Timestamp::from_millis(1_800_000_000_000);
    let link = links.to(MediaId::from_uuid(Uuid::from_u128(42)), now);
    let token = link.strip_prefix("https://x.example/media/").expect("a link of ours");
    Target::new("media link").examples([token]).words(["-", "_", "="]).bytes_max(1 << 10).run(|bytes| {
        let Ok(text) = from_utf8(bytes) else { return 0 };
        let opened = links.open(text, now);
        assert!(opened.is_none() || text == token, "{text:?} opens");
        1 + u8::from(opened.is_some())
    });
}
