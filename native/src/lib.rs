//! Parts of slowlink in machine code: the scan (`src/slowlink/parsers/reading/sieve.py`), and identifiers
//! (`src/slowlink/parsers/forms/identifiers.py`). Their users work without it.

mod automaton;
mod columns;
mod edges;
mod forms;
mod hashing;
mod identifiers;
mod journal;
mod leads;
mod rows;
mod search;
mod sieve;
mod streams;
mod table;

#[pyo3::pymodule]
mod slowlink_native {
    #[pymodule_export]
    use super::identifiers::blind_to_identifiers;
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::sieve::Sieve;
    #[pymodule_export]
    use super::table::EdgeTable;

    /// The form of what a sieve tells: another number with every change of it, as in `sieve.py`.
    #[pymodule_export]
    const FORM: u32 = 9;
}
