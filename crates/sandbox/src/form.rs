//! Bodies of `multipart/form-data`, as the vendors read them.

use bytes::Bytes;
use http::header::CONTENT_TYPE;

use crate::request::Request;

pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) filename: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) content: Bytes,
}

/// The parts of a form.
pub(crate) fn parts(request: &Request) -> Vec<Part> {
    let kind = request.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let Some((_, boundary)) = kind.split_once("boundary=") else { return Vec::new() };
    let mark = format!("--{}", boundary.trim_matches('"')).into_bytes();
    let body = &request.body;
    let starts: Vec<_> = (0..body.len()).filter(|at| body[*at..].starts_with(&mark)).collect();
    let between = starts.windows(2).map(|pair| body.slice(pair[0] + mark.len()..pair[1]));
    between.filter_map(|part| read_part(&part)).collect()
}

/// A part between two marks: a line's end, its headers, a blank line, its content, a line's end.
fn read_part(part: &Bytes) -> Option<Part> {
    let head_end = part.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&part[..head_end]).ok()?;
    let quoted = |before: &str| Some(head.split_once(before)?.1.split('"').next()?.to_owned());
    let name = quoted("; name=\"")?;
    let content_type = head.lines().find_map(|line| {
        let (field, value) = line.split_once(':')?;
        field.trim().eq_ignore_ascii_case("content-type").then(|| value.trim().to_owned())
    });
    let content = part.slice(head_end + 4..part.len().checked_sub(2).filter(|end| *end >= head_end + 4)?);
    Some(Part { name, filename: quoted("filename=\""), content_type, content })
}
