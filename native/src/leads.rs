//! Where the words of a line may begin behind a logger's lead. Gives all that `reading/leads/of_loggers.py` gives, and more.

use crate::search::expression;
use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

/// As in Python.
const MOST_FIELDS: usize = 8;
const LONGEST: usize = 240;

pub struct Leads {
    opening: Regex,
    step: Regex,
    host: Regex,
}

impl Leads {
    /// The expressions, in the order of their use.
    pub fn new((opening, step, host): (&str, &str, &str)) -> Result<Self, String> {
        Ok(Self {
            opening: expression(opening)?,
            step: expression(step)?,
            host: expression(host)?,
        })
    }

    /// The places in `text` where its words may begin.
    pub fn ends_in(&self, text: &[u8]) -> Vec<usize> {
        let front = &text[..text.len().min(LONGEST)];
        let mut ends: Vec<usize> = end_of(&self.host, front, 0).into_iter().collect();
        let mut at = end_of(&self.opening, front, 0).unwrap_or(0);
        for _ in 0..MOST_FIELDS {
            let Some(end) = end_of(&self.step, front, at) else {
                break;
            };
            ends.extend(before_mark(&front[at..end]).map(|blank| at + blank));
            ends.push(end);
            at = end;
        }
        ends
    }
}

/// Behind the first blank after the field of a step, where a mark follows.
fn before_mark(step: &[u8]) -> Option<usize> {
    let marked = step.trim_ascii_end();
    let field = marked
        .strip_suffix(b"=>")
        .or_else(|| marked.strip_suffix(b"--"))
        .or_else(|| marked.strip_suffix(b"-"))
        .or_else(|| marked.strip_suffix(b":"))
        .or_else(|| marked.strip_suffix(b"|"))?
        .trim_ascii_end();
    (step[field.len()] == b' ').then_some(field.len() + 1)
}

fn end_of(expression: &Regex, text: &[u8], at: usize) -> Option<usize> {
    let input = Input::new(text).range(at..).anchored(Anchored::Yes);
    expression.search(&input).map(|found| found.end())
}
