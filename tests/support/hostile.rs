//! Hostile guests: text in `tests/hostile/KIND/NAME.wat`, turned into components here.

use std::path::PathBuf;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// The world of a folder of guests.
fn world(kind: &str) -> &'static str {
    match kind {
        "assertions" => "assertion-plugin",
        "contracts" => "contract-pack",
        "extensions" => "extension-plugin",
        other => panic!("no world is known for tests/hostile/{other}"),
    }
}

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile")
}

/// The names of the guests of a kind.
pub fn names(kind: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder().join(kind))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// The component of a hostile guest.
pub fn component(kind: &str, name: &str) -> Vec<u8> {
    let path = folder().join(kind).join(format!("{name}.wat"));
    let mut module = wat::parse_file(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../wit")).unwrap();
    let world = resolve.select_world(&[package], Some(world(kind))).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default()
        .module(&module)
        .unwrap()
        .validate(true)
        .encode()
        .unwrap_or_else(|error| panic!("{}: {error:?}", path.display()))
}
