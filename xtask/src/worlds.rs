//! Whether a component fits the worlds of `wit/`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wit_component::DecodedWasm;
use wit_parser::{CloneMaps, PackageId, Resolve, WorldId, WorldItem, WorldKey};

/// The worlds that plugins are written for.
pub(crate) struct Worlds {
    resolve: Resolve,
    package: PackageId,
}

/// What a component imports or exports.
#[derive(Debug, Default, PartialEq)]
struct Face {
    /// Interfaces by their full names.
    interfaces: BTreeSet<String>,
    /// Functions and types outside any interface.
    bare: BTreeSet<String>,
}

impl Face {
    fn of<'a>(resolve: &Resolve, items: impl IntoIterator<Item = (&'a WorldKey, &'a WorldItem)>) -> Self {
        let mut face = Face::default();
        for (key, item) in items {
            let name = resolve.name_world_key(key);
            match (key, item) {
                (WorldKey::Interface(_), _) => face.interfaces.insert(name),
                (WorldKey::Name(_), _) => face.bare.insert(name),
            };
        }
        face
    }
}

impl Worlds {
    /// Reads the package in a folder.
    ///
    /// # Errors
    /// The folder cannot be read or is no valid WIT package.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        Ok(Self { resolve, package })
    }

    /// Checks that a component exports one or more of the plugin interfaces, imports nothing but what the worlds with
    /// these exports hand out, and that every function has the very type that it has there. Answers with the names of
    /// the exported interfaces.
    ///
    /// # Errors
    /// It does not; the message names what is wrong and what was expected.
    pub(crate) fn check(&self, component: &[u8]) -> Result<Vec<String>> {
        let (decoded, world) = match wit_component::decode(component).context("not a valid component")? {
            DecodedWasm::Component(resolve, world) => (resolve, world),
            DecodedWasm::WitPackage(..) => bail!("not a component but a WIT package"),
        };
        let imports = Face::of(&decoded, &decoded.worlds[world].imports);
        let exports = Face::of(&decoded, &decoded.worlds[world].exports);

        let matching = self.matching(&exports)?;
        let allowed: BTreeSet<String> = matching.iter().flat_map(|world| self.imports(*world).interfaces).collect();
        let foreign: Vec<_> = imports.interfaces.difference(&allowed).chain(&imports.bare).cloned().collect();
        if !foreign.is_empty() {
            let worlds: Vec<_> = matching.iter().map(|world| self.resolve.worlds[*world].name.as_str()).collect();
            bail!("it imports {}, which {} does not offer", foreign.join(", "), worlds.join(" with "));
        }
        self.fits(&matching, component)?;
        Ok(exports.interfaces.into_iter().collect())
    }

    /// The worlds that export what the component exports.
    fn matching(&self, exports: &Face) -> Result<Vec<WorldId>> {
        let offered = self.exports();
        let expected: Vec<_> = offered.iter().map(|(name, _)| name.as_str()).collect();
        let expected = expected.join(", ");
        if let Some(name) = exports.bare.first() {
            bail!("it exports {name} outside any interface; expected one or more of {expected}");
        }
        if exports.interfaces.is_empty() {
            bail!(
                "it exports no interface: expected one or more of {expected} (a macro of a2a-host-sdk registers each)"
            );
        }
        let mut matching = Vec::new();
        for name in &exports.interfaces {
            let Some((_, world)) = offered.iter().find(|(offer, _)| offer == name) else {
                bail!("it exports {name}; expected one or more of {expected}");
            };
            matching.push(*world);
        }
        Ok(matching)
    }

    /// Every interface that a world of ours exports.
    fn exports(&self) -> Vec<(String, WorldId)> {
        let worlds = self.resolve.packages[self.package].worlds.values();
        let exports = worlds.flat_map(|world| {
            let face = Face::of(&self.resolve, &self.resolve.worlds[*world].exports);
            face.interfaces.into_iter().map(|name| (name, *world))
        });
        let mut exports: Vec<_> = exports.collect();
        exports.sort();
        exports
    }

    fn imports(&self, world: WorldId) -> Face {
        Face::of(&self.resolve, &self.resolve.worlds[world].imports)
    }

    /// Compares the types themselves: the names alone do not show a function that changed since the guest was compiled.
    fn fits(&self, worlds: &[WorldId], component: &[u8]) -> Result<()> {
        let Some((first, others)) = worlds.split_first() else { return Ok(()) };
        let mut resolve = self.resolve.clone();
        for other in others {
            resolve.merge_worlds(*other, *first, &mut CloneMaps::default())?;
        }
        wit_component::targets(&resolve, *first, component).context("its functions are not those of wit/")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};

    /// A package of the shape of ours, small enough to write modules for by hand.
    const OURS: &str = "package a2a-host:plugin@0.1.0;
        interface types { record finding { code: u32 } }
        interface host { log: func(level: u32); }
        interface agent { card: func() -> u32; }
        interface assertions { use types.{finding}; evaluate: func(handle: u32) -> finding; }
        interface contracts { verify: func() -> u32; }
        world assertion-plugin { import host; export assertions; }
        world contract-pack { import host; import agent; export contracts; }";

    fn worlds() -> Worlds {
        let mut resolve = Resolve::default();
        let package = resolve.push_str("ours.wit", OURS).unwrap();
        Worlds { resolve, package }
    }

    /// A module of the world that stands last in `wit`, which may replace our package by another state of it.
    pub(crate) fn module(wit: &str, module: &str) -> Vec<u8> {
        let mut resolve = Resolve::default();
        let mut package = resolve.push_str("wit.wit", wit.split("// then").next().unwrap()).unwrap();
        if let Some((_, world)) = wit.split_once("// then") {
            package = resolve.push_str("world.wit", world).unwrap();
        }
        let world = *resolve.packages[package].worlds.values().last().unwrap();
        let mut module = wat::parse_str(module).unwrap();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
        module
    }

    fn component(wit: &str, text: &str) -> Vec<u8> {
        ComponentEncoder::default().module(&module(wit, text)).unwrap().validate(true).encode().unwrap()
    }

    /// Our package, followed by another with a world of its own.
    fn ours_then(world: &str) -> String {
        format!("{OURS}// then\npackage test:guest; world guest {{ {world} }}")
    }

    const EVALUATE: &str =
        r#"(func (export "a2a-host:plugin/assertions@0.1.0#evaluate") (param i32) (result i32) local.get 0)"#;
    const VERIFY: &str = r#"(func (export "a2a-host:plugin/contracts@0.1.0#verify") (result i32) i32.const 1)"#;
    const LOG: &str = r#"(import "a2a-host:plugin/host@0.1.0" "log" (func (param i32)))"#;
    const CARD: &str = r#"(import "a2a-host:plugin/agent@0.1.0" "card" (func (result i32)))"#;

    fn refusal(component: &[u8]) -> String {
        format!("{:#}", worlds().check(component).unwrap_err())
    }

    #[test]
    fn a_component_of_one_world_fits() {
        let wit = ours_then("import a2a-host:plugin/host@0.1.0; export a2a-host:plugin/assertions@0.1.0;");
        let component = component(&wit, &format!("(module {LOG} {EVALUATE})"));
        assert_eq!(worlds().check(&component).unwrap(), ["a2a-host:plugin/assertions@0.1.0"]);
    }

    #[test]
    fn a_component_of_two_worlds_may_import_what_either_offers() {
        let wit = ours_then(
            "import a2a-host:plugin/host@0.1.0; import a2a-host:plugin/agent@0.1.0;
             export a2a-host:plugin/assertions@0.1.0; export a2a-host:plugin/contracts@0.1.0;",
        );
        let component = component(&wit, &format!("(module {LOG} {CARD} {EVALUATE} {VERIFY})"));
        let exports = ["a2a-host:plugin/assertions@0.1.0", "a2a-host:plugin/contracts@0.1.0"];
        assert_eq!(worlds().check(&component).unwrap(), exports);
    }

    #[test]
    fn an_import_of_another_world_is_refused() {
        let wit = ours_then("import a2a-host:plugin/agent@0.1.0; export a2a-host:plugin/assertions@0.1.0;");
        let component = component(&wit, &format!("(module {CARD} {EVALUATE})"));
        let expected = "it imports a2a-host:plugin/agent@0.1.0, which assertion-plugin does not offer";
        assert_eq!(refusal(&component), expected);
    }

    #[test]
    fn a_foreign_import_is_refused() {
        let wit = ours_then("import files: interface { open: func(); } export a2a-host:plugin/assertions@0.1.0;");
        let component = component(&wit, &format!(r#"(module (import "files" "open" (func)) {EVALUATE})"#));
        assert_eq!(refusal(&component), "it imports files, which assertion-plugin does not offer");
    }

    #[test]
    fn an_export_of_another_version_is_refused() {
        let newer = OURS.replace("@0.1.0", "@0.2.0");
        let wit = newer + "// then\npackage test:guest; world guest { export a2a-host:plugin/contracts@0.2.0; }";
        let component = component(&wit, &format!("(module {})", VERIFY.replace("0.1.0", "0.2.0")));
        let expected = "it exports a2a-host:plugin/contracts@0.2.0; expected one or more of \
                        a2a-host:plugin/assertions@0.1.0, a2a-host:plugin/contracts@0.1.0";
        assert_eq!(refusal(&component), expected);
    }

    #[test]
    fn a_bare_function_and_no_export_at_all_are_refused() {
        let bare = component(&ours_then("export verify: func();"), r#"(module (func (export "verify")))"#);
        assert!(refusal(&bare).starts_with("it exports verify outside any interface; expected"), "{}", refusal(&bare));
        let none = component(&ours_then("import a2a-host:plugin/host@0.1.0;"), "(module)");
        assert!(refusal(&none).starts_with("it exports no interface: expected one or more of"), "{}", refusal(&none));
    }

    #[test]
    fn a_function_that_changed_is_refused_though_the_names_agree() {
        let older = OURS.replace("verify: func() -> u32", "verify: func() -> s32");
        let wit = older + "// then\npackage test:guest; world guest { export a2a-host:plugin/contracts@0.1.0; }";
        let component = component(&wit, &format!("(module {VERIFY})"));
        assert!(refusal(&component).starts_with("its functions are not those of wit/: "), "{}", refusal(&component));
    }

    #[test]
    fn what_is_no_component_is_refused() {
        assert!(refusal(b"<html>").starts_with("not a valid component"), "{}", refusal(b"<html>"));
        assert!(worlds().check(&wat::parse_str("(module)").unwrap()).is_err());
    }

    #[test]
    fn the_worlds_of_this_repository_are_read() {
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
        let worlds = Worlds::read(&wit).unwrap();
        let names: Vec<_> = worlds
            .exports()
            .into_iter()
            .map(|(name, world)| (name, worlds.resolve.worlds[world].name.clone()))
            .collect();
        let expected = [
            ("a2a-host:plugin/assertions@0.1.0", "assertion-plugin"),
            ("a2a-host:plugin/contracts@0.1.0", "contract-pack"),
            ("a2a-host:plugin/extensions@0.1.0", "extension-plugin"),
        ];
        assert_eq!(names, expected.map(|(name, world)| (name.to_owned(), world.to_owned())));
    }
}
