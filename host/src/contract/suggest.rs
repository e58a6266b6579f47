//! The known name that a user most likely meant.

/// The known name that a user most likely meant: the same letters in another style, or close to it.
pub(crate) fn nearest<'s, 'k>(name: &str, known: impl Iterator<Item = &'k &'s str>) -> Option<&'s str>
where
    's: 'k,
{
    // Below this likeness a suggestion confuses more than it helps: `mesage` is 0.86 of `message`, `test` 0.25 of `text`
    // and 0.75 after one change.
    const LIKENESS: f64 = 0.6;
    let letters =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let wanted = letters(name);
    known
        .map(|known| (strsim::normalized_damerau_levenshtein(&wanted, &letters(known)), *known))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

/// Help for a name that nobody knows: the nearest known one, and all of them.
pub(crate) fn suggest(name: &str, known: &[&str]) -> String {
    let list = known.join(", ");
    match nearest(name, known.iter()) {
        Some(near) => format!("did you mean `{near}`? known: {list}"),
        None => format!("known: {list}"),
    }
}
