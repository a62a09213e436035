//! The form of a line: its text with every number as one 0. Says the same as `lines.form_of` in Python.

/// Writes the form of `text` into `form`.
pub fn form_of(text: &[u8], form: &mut Vec<u8>) {
    form.clear();
    // Digits as 0, runs of them as one, decimals as one number.
    for &byte in text {
        if byte.is_ascii_digit() {
            if form.last() == Some(&b'0') {
                continue;
            }
            if form.ends_with(b"0.") {
                form.pop();
                continue;
            }
            form.push(b'0');
        } else {
            form.push(byte);
        }
    }
    // As Python replaces them: the exponents first, all of one sign, then the signs of numbers.
    drop_after(form, b"0e-0", 1);
    drop_after(form, b"0e+0", 1);
    drop_sign(form);
}

/// Of each `found` keep only so many bytes at its front; what was kept begins no other.
fn drop_after(form: &mut Vec<u8>, found: &[u8], kept: usize) {
    if memchr::memmem::find(form, found).is_none() {
        return;
    }
    let (mut read, mut written) = (0, 0);
    while read < form.len() {
        if form[read..].starts_with(found) {
            form.copy_within(read..read + kept, written);
            written += kept;
            read += found.len();
        } else {
            form[written] = form[read];
            written += 1;
            read += 1;
        }
    }
    form.truncate(written);
}

/// ` -0` to ` 0`.
fn drop_sign(form: &mut Vec<u8>) {
    if memchr::memmem::find(form, b" -0").is_none() {
        return;
    }
    let (mut read, mut written) = (0, 0);
    while read < form.len() {
        if form[read..].starts_with(b" -0") {
            form[written] = b' ';
            form[written + 1] = b'0';
            written += 2;
            read += 3;
        } else {
            form[written] = form[read];
            written += 1;
            read += 1;
        }
    }
    form.truncate(written);
}

/// Writes the shape of `text` into `shape`: every digit as a 0.
pub fn shape_of(text: &[u8], shape: &mut Vec<u8>) {
    shape.clear();
    shape.extend(
        text.iter()
            .map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte }),
    );
}
