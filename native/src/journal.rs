//! What syslog and the journal print before each line: a stamp, a host, a program. Says the same as `lines.STRONG` in
//! Python, of lines of ASCII.

use crate::search::expression;
use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

/// Fields before the host: a month, a day, a time.
const BEFORE_HOST: usize = 3;

pub struct Journal {
    stamp_and_host: Regex,
    daemon: Regex,
    unit: Regex,
    named: Regex,
}

impl Journal {
    /// Expressions for the stamp and the host, with the blank behind it; how a program begins whose messages are read
    /// with its name; a program with its number; and one that names itself.
    pub fn new(
        (stamp_and_host, daemon, unit, named): (&str, &str, &str, &str),
    ) -> Result<Self, String> {
        Ok(Self {
            stamp_and_host: expression(stamp_and_host)?,
            daemon: expression(daemon)?,
            unit: expression(unit)?,
            named: expression(named)?,
        })
    }

    /// Where the text begins; None for a line that is of neither.
    pub fn end_of(&self, line: &[u8]) -> Option<usize> {
        if !line.first()?.is_ascii_alphabetic() {
            return None;
        }
        let host = end_of(&self.stamp_and_host, line, 0)?;
        if end_of(&self.daemon, line, host).is_none() {
            if let Some(unit) = end_of(&self.unit, line, host) {
                return Some(unit);
            }
        }
        end_of(&self.named, line, host).map(|_| host)
    }
}

/// The host of a line that has one.
pub fn host_of(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty())
        .nth(BEFORE_HOST)
        .unwrap_or_default()
}

fn end_of(expression: &Regex, text: &[u8], at: usize) -> Option<usize> {
    let input = Input::new(text).range(at..).anchored(Anchored::Yes);
    expression.search(&input).map(|found| found.end())
}
