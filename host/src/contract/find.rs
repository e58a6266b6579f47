use std::path::{Path, PathBuf};

/// The contract file that is taken where none is named: the first of these that exists. The second name is the one that
/// the contract language's first runner looks for.
pub const DEFAULT_FILES: [&str; 2] = ["a2a-host.yaml", "a2a-proof.yaml"];

/// The default contract file of a folder; none where neither exists. Something that exists and cannot be read is found:
/// reading it says why.
pub fn find_default(folder: &Path) -> Option<PathBuf> {
    DEFAULT_FILES.iter().map(|name| folder.join(name)).find(|path| path.symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_wins() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(find_default(folder.path()), None);
        std::fs::write(folder.path().join("a2a-proof.yaml"), "").unwrap();
        assert_eq!(find_default(folder.path()), Some(folder.path().join("a2a-proof.yaml")));
        std::fs::write(folder.path().join("a2a-host.yaml"), "").unwrap();
        assert_eq!(find_default(folder.path()), Some(folder.path().join("a2a-host.yaml")));
    }
}
