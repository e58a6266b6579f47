//! The compile cache: compiled components on disk, by digest of the component and of everything the compiler depends on.
//!
//! Loading compiled code trusts it, and wasmtime does not notice a flipped byte. So the folder is the user's alone, each
//! file stands beside a digest of its own, files are written under a temporary name and renamed, and whatever does not
//! fit is ignored and made anew.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::Engine;

/// A folder of compiled components.
#[derive(Clone, Debug)]
pub struct CompileCache {
    folder: PathBuf,
}

/// At most so many components are kept; the ones not used for longest go first. A large one takes some 40 MB.
const MAX_ENTRIES: usize = 64;

impl CompileCache {
    /// Uses a folder, making it where it is missing. None where it cannot be used safely: then nothing is cached.
    pub fn at(folder: PathBuf) -> Option<CompileCache> {
        fs::create_dir_all(&folder).ok()?;
        private(&folder)?;
        Some(CompileCache { folder })
    }

    /// The folder of this user: `A2A_HOST_CACHE`, else the platform's cache folder.
    pub fn of_user() -> Option<CompileCache> {
        let folder = match std::env::var_os("A2A_HOST_CACHE") {
            Some(folder) if !folder.is_empty() => PathBuf::from(folder),
            _ => dirs::cache_dir()?.join("a2a-host"),
        };
        CompileCache::at(folder.join("compiled"))
    }

    /// The compiled form of a component with that digest, if it is there and whole. The bytes that were looked at are the
    /// bytes that are used: nothing can be put in their place in between.
    pub(crate) fn find(&self, engine: &Engine, digest: &str) -> Option<Vec<u8>> {
        let path = self.path(engine, digest);
        let (bytes, expected) = (fs::read(&path).ok()?, fs::read_to_string(sum_path(&path)).ok()?);
        if hex_digest(&bytes) != expected.trim() {
            return None;
        }
        // The time of the last use decides what goes first when there are too many.
        if let Ok(file) = fs::File::open(&path) {
            let _ = file.set_modified(std::time::SystemTime::now());
        }
        Some(bytes)
    }

    /// Keeps the compiled form. A failure costs only the next start its time, so it is not reported.
    pub(crate) fn keep(&self, engine: &Engine, digest: &str, compiled: &[u8]) {
        let path = self.path(engine, digest);
        let written = self.write(&sum_path(&path), hex_digest(compiled).as_bytes());
        if written.and_then(|()| self.write(&path, compiled)).is_some() {
            self.trim();
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Option<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).ok()?;
        file.write_all(bytes).ok()?;
        file.persist(path).ok()?;
        Some(())
    }

    fn path(&self, engine: &Engine, digest: &str) -> PathBuf {
        let mut hasher = std::hash::DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        self.folder.join(format!("{digest}-{:016x}.cwasm", hasher.finish()))
    }

    fn trim(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut compiled: Vec<(std::time::SystemTime, PathBuf)> = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "cwasm"))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        compiled.sort();
        let surplus = compiled.len().saturating_sub(MAX_ENTRIES);
        for (_, path) in compiled.into_iter().take(surplus) {
            let _ = fs::remove_file(sum_path(&path));
            let _ = fs::remove_file(path);
        }
    }
}

fn sum_path(path: &Path) -> PathBuf {
    path.with_extension("sha256")
}

/// SHA-256 in lower-case hex.
pub(crate) fn hex_digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Makes the folder the user's alone; none where it is a link, or belongs to somebody else, who could write into it. A file
/// that is made in it has the user's own id.
#[cfg(unix)]
fn private(folder: &Path) -> Option<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    if !fs::symlink_metadata(folder).ok()?.is_dir() {
        return None;
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).ok()?;
    let own = tempfile::NamedTempFile::new_in(folder).ok()?.as_file().metadata().ok()?.uid();
    let metadata = fs::symlink_metadata(folder).ok()?;
    (metadata.mode() & 0o077 == 0 && metadata.uid() == own).then_some(())
}

#[cfg(not(unix))]
fn private(folder: &Path) -> Option<()> {
    folder.is_dir().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_until_a_byte_flips() {
        let folder = tempfile::tempdir().unwrap();
        let cache = CompileCache::at(folder.path().join("cache")).unwrap();
        let engine = Engine::default();
        assert_eq!(cache.find(&engine, "abc"), None);
        cache.keep(&engine, "abc", b"compiled");
        assert_eq!(cache.find(&engine, "abc").as_deref(), Some(&b"compiled"[..]));
        let path = cache.path(&engine, "abc");
        fs::write(&path, b"compileD").unwrap();
        assert_eq!(cache.find(&engine, "abc"), None);
        fs::write(&path, b"comp").unwrap();
        assert_eq!(cache.find(&engine, "abc"), None);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let cache = CompileCache::at(folder.path().to_owned()).unwrap();
        let engine = Engine::default();
        for index in 0..MAX_ENTRIES {
            cache.keep(&engine, &format!("{index}"), b"x");
            let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(index as u64);
            fs::File::open(cache.path(&engine, &format!("{index}"))).unwrap().set_modified(old).unwrap();
        }
        assert!(cache.path(&engine, "0").exists());
        cache.keep(&engine, "new", b"x");
        assert!(!cache.path(&engine, "0").exists());
        assert!(cache.path(&engine, "1").exists());
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        CompileCache::at(folder.path().join("c")).unwrap();
        assert_eq!(fs::metadata(folder.path().join("c")).unwrap().permissions().mode() & 0o777, 0o700);
        std::os::unix::fs::symlink(folder.path().join("c"), folder.path().join("link")).unwrap();
        assert!(CompileCache::at(folder.path().join("link")).is_none());
    }
}
