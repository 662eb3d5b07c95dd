//! Writes the generated files from a document, without building the server: `write openapi.json sdk`.

use std::path::Path;
use std::{env, fs};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [document, directory] = arguments.as_slice() else { panic!("name the document and the directory") };
    let text = fs::read_to_string(document).expect("the document is readable");
    let document = serde_json::from_str(&text).expect("the document is JSON");
    for (path, text) in frontdesk_sdk_generator::files(&document) {
        let path = Path::new(directory).join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("the directory is writable");
        fs::write(&path, text).expect("the file is writable");
    }
}
