//! The little XML that the storage speaks.

/// The text of every element of this name.
pub(super) fn all(text: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let contents = text.split(&open).skip(1).filter_map(|rest| rest.split_once(&close));
    contents.map(|(content, _)| unescaped(content)).collect()
}

/// The text of the first element of this name.
pub(super) fn first(text: &str, name: &str) -> Option<String> {
    all(text, name).into_iter().next()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_by_their_names() {
        let listed = "<R><Contents><Key>a&amp;b</Key></Contents><Contents><Key>c</Key></Contents><Cut>no</R>";
        assert_eq!(all(listed, "Key"), ["a&b", "c"]);
        assert_eq!(first(listed, "Cut"), None);
        assert_eq!(unescaped(&escaped("\"<&>\"")), "\"<&>\"");
    }
}
