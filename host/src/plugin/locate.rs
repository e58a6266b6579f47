use std::borrow::Cow;
use std::io::Read as _;
use std::path::Path;

use super::bundled::{self, NAMES};
use crate::sandbox::{Code, Fault, MAX_COMPONENT_BYTES, PluginError};

/// The bytes of a plugin, and what to call it.
pub struct Located {
    /// The file's name without folders, or the bundled name.
    pub name: String,
    /// The component.
    pub bytes: Cow<'static, [u8]>,
    compiled: Option<&'static [u8]>,
}

impl Located {
    /// How its code is had.
    pub fn code(&self) -> Code<'_> {
        self.compiled.map_or(Code::Component, Code::Compiled)
    }
}

/// Finds the bytes of a plugin: a reference with a `/` or ending in `.wasm` is a file below `folder`, anything else a
/// bundled name.
///
/// # Errors
/// It is not there; the text lists where it was looked for and what to do.
pub fn locate(reference: &str, folder: &Path) -> Result<Located, PluginError> {
    if reference.contains(['/', '\\']) || reference.ends_with(".wasm") {
        return file(reference, &folder.join(reference));
    }
    let unloadable = |why: String| PluginError::loading(reference, Fault::Unloadable(why));
    if !NAMES.contains(&reference) {
        return Err(unloadable(format!(
            "there is no bundled plugin of that name (there are {}); a file is named with its ending, such as ./{reference}.wasm",
            NAMES.join(", ")
        )));
    }
    let found = bundled::find(reference).map_err(|looked| {
        let places: Vec<String> = looked.iter().map(|path| path.display().to_string()).collect();
        unloadable(format!("it is not built; looked for {}; `cargo xtask guests` builds it", places.join(", ")))
    })?;
    Ok(Located { name: reference.to_owned(), bytes: found.bytes, compiled: found.compiled })
}

fn file(reference: &str, path: &Path) -> Result<Located, PluginError> {
    let name = path.file_name().map_or_else(|| reference.to_owned(), |name| name.to_string_lossy().into_owned());
    let unloadable = |why: String| PluginError::loading(&name, Fault::Unloadable(why));
    let metadata =
        std::fs::metadata(path).map_err(|error| unloadable(format!("{} cannot be read: {error}", path.display())))?;
    if metadata.is_dir() {
        return Err(unloadable(format!("{} is a folder; a plugin is a single .wasm file", path.display())));
    }
    if !metadata.is_file() {
        return Err(unloadable(format!("{} is no regular file", path.display())));
    }
    // Looked at before reading, so that a huge file costs no memory.
    if metadata.len() > MAX_COMPONENT_BYTES {
        return Err(unloadable(format!(
            "{} has {} MiB, the limit is {} MiB",
            path.display(),
            metadata.len() / (1024 * 1024),
            MAX_COMPONENT_BYTES / (1024 * 1024)
        )));
    }
    // A file may grow while it is read; one byte too many is refused like a large file.
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MAX_COMPONENT_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unloadable(format!("{} cannot be read: {error}", path.display())))?;
    Ok(Located { name, bytes: Cow::Owned(bytes), compiled: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(reference: &str, folder: &Path) -> String {
        locate(reference, folder).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn files_are_named_and_their_size_is_looked_at_first() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("p.wasm"), b"x").unwrap();
        assert_eq!(locate("p.wasm", folder.path()).unwrap().name, "p.wasm");
        assert!(refused("q.wasm", folder.path()).contains("q.wasm cannot be read"));
        std::fs::create_dir(folder.path().join("d.wasm")).unwrap();
        assert!(refused("d.wasm", folder.path()).contains("is a folder"));
        #[cfg(unix)]
        assert!(refused("/dev/zero", folder.path()).contains("is no regular file"));
        let large = std::fs::File::create(folder.path().join("large.wasm")).unwrap();
        large.set_len(MAX_COMPONENT_BYTES).unwrap();
        assert!(locate("./large.wasm", folder.path()).is_ok());
        large.set_len(MAX_COMPONENT_BYTES + 1).unwrap();
        assert!(refused("./large.wasm", folder.path()).contains("the limit is 64 MiB"));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let text = refused("cor", Path::new("."));
        assert!(text.contains("assertions, extensions, core") && text.contains("./cor.wasm"), "{text}");
    }
}
