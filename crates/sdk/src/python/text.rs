//! Python's text: names, strings, docstrings and lines of a fitting width.

/// The width of a line, with its indentation.
const WIDTH: usize = 120;
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// A module with a docstring that says that it is generated. `docs` is its first line.
pub(super) fn module(docs: &str, body: &str) -> String {
    let head = format!(
        "\"\"\"{docs}\n\nWritten by `make sdk` from the routes of the API. Do not edit it.\n\"\"\"\n"
    );
    if body.is_empty() { head } else { format!("{head}\n{}\n", body.trim_end()) }
}

/// The name of a field or an argument; a keyword gets an underscore.
pub(super) fn name(key: &str) -> String {
    if KEYWORDS.contains(&key) { format!("{key}_") } else { key.to_owned() }
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

/// `Literal["a", "b"]` as the value of an alias, over several lines if it is long.
pub(super) fn words(alias: &str, words: &[String]) -> String {
    let literals: Vec<String> = words.iter().map(|word| literal(word)).collect();
    enclosed("Literal[", &literals, "]", 0, room(0, &format!("{alias}: TypeAlias = ")))
}

/// `A | B` as the value of an alias, over several lines if it is long.
pub(super) fn union(alias: &str, names: &[String]) -> String {
    let line = names.join(" | ");
    if line.len() <= room(0, &format!("{alias}: TypeAlias = ")) {
        return line;
    }
    format!("(\n    {}\n)", names.join("\n    | "))
}

/// Imports, and definitions below them.
pub(super) fn below(imports: &str, definitions: &str) -> String {
    let is_class = definitions.starts_with(['@', 'c']);
    format!("{imports}\n\n{}{definitions}", if is_class { "\n" } else { "" })
}

/// Items between brackets: in one line if `room` is enough, else one line each.
pub(super) fn enclosed(open: &str, items: &[String], close: &str, indent: usize, room: usize) -> String {
    let line = format!("{open}{}{close}", items.join(", "));
    if line.chars().count() <= room && !line.contains('\n') {
        return line;
    }
    let pad = " ".repeat(indent + 4);
    let lines: Vec<String> = items.iter().map(|item| format!("{pad}{item},\n")).collect();
    format!("{open}\n{}{}{close}", lines.concat(), " ".repeat(indent))
}

/// The room for what begins after an indentation and `before`.
pub(super) fn room(indent: usize, before: &str) -> usize {
    WIDTH.saturating_sub(indent + before.chars().count())
}

/// A docstring of these paragraphs, indented. Nothing if there are none.
pub(super) fn docstring(paragraphs: &[String], indent: usize) -> String {
    let pad = " ".repeat(indent);
    let filled: Vec<&String> = paragraphs.iter().filter(|paragraph| !paragraph.is_empty()).collect();
    let [first, rest @ ..] = filled.as_slice() else { return String::new() };
    let escaped = |text: &str| text.replace('\\', "\\\\").replace("\"\"\"", "'''");
    let mut text = format!("{pad}\"\"\"{}", escaped(wrapped(first, indent, 6).trim_start()));
    for paragraph in rest {
        text.push_str("\n\n");
        text.push_str(&escaped(&wrapped(paragraph, indent, 0)));
    }
    // A quote at the end would end the docstring early.
    let one_line = rest.is_empty() && !text.contains('\n') && !text.ends_with('"');
    if !one_line {
        text.push('\n');
        text.push_str(&pad);
    }
    text.push_str("\"\"\"\n");
    text
}

/// A paragraph in lines of the width, each indented. Lines of the paragraph are kept, and continue below their text.
fn wrapped(paragraph: &str, indent: usize, reserved: usize) -> String {
    let lines = paragraph.lines().map(|line| {
        let own = line.len() - line.trim_start().len();
        let continued = if own > 0 { own + 4 } else { 0 };
        fill(line.trim_start(), indent + own, indent + continued, reserved)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Words in lines: the first one indented by `first`, the others by `others`.
fn fill(text: &str, first: usize, others: usize, reserved: usize) -> String {
    let mut lines = Vec::new();
    let mut line = " ".repeat(first);
    let mut is_empty = true;
    let mut width = WIDTH - reserved;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(others)));
            (is_empty, width) = (true, WIDTH);
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push(line);
    lines.join("\n")
}

/// A text as a sentence.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', ':', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
