//! Randomness for the hash maps of the JSON Schema library, the only thing here that asks for any. A counter will do:
//! nothing secret depends on it, and a check then uses the same fuel in every run.

use std::sync::atomic::{AtomicU8, Ordering};

/// What getrandom 0.3 calls when it is built with `--cfg getrandom_backend="custom"`, as guests are. It fills `length`
/// bytes from `destination` on.
///
/// # Safety
/// `destination` must be valid for writes of `length` bytes, which getrandom promises.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(destination: *mut u8, length: usize) -> Result<(), getrandom::Error> {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    // SAFETY: getrandom hands over a buffer of its own that nobody else sees; the bytes are written before they are read.
    let bytes = unsafe {
        std::ptr::write_bytes(destination, 0, length);
        std::slice::from_raw_parts_mut(destination, length)
    };
    bytes.fill_with(|| NEXT.fetch_add(1, Ordering::Relaxed));
    Ok(())
}
