//! The SYSPRINT writer: pages, headings, echo of the control cards, messages.
//!
//! 1. A printed line has at most [`WIDTH`] characters after carriage control (VBA, LRECL 125 on z/OS: 4 bytes of
//!    length, 1 of carriage control, 120 of text). Longer text goes on in the next line; nothing is cut off.
//! 2. A page has at most [`PAGE_LINES`] lines, its heading included. When a page fills up, the heading and the subtitle
//!    are printed again and the next line is double spaced, as z/OS does.
//! 3. Programs that run cards do not read the listing: they ask for the messages ([`Sysprint::with_messages`]).
//! 4. What a command printed has left this process when the command ends, and its cards have before it begins: whatever
//!    ends the program leaves the listing of what was done. A listing without IDC0002I at its end is not whole.
//! 5. After the first write error nothing more is written and [`Sysprint::error`] tells it; the run ends with 16.

use crate::diagnostic::Diagnostic;
use crate::params::Params;
use crate::pos::Pos;
use cica_admin::Failure;
use cica_messages::{self as messages, Message, MessageEntry};
use jiff::tz::Offset;
use jiff::Timestamp;
use std::fmt::Display;
use std::io::{self, Write};

/// Characters of text in a line, carriage control not counted.
pub const WIDTH: usize = 120;

/// Lines on a page, heading and blank lines counted, as z/OS has them.
pub const PAGE_LINES: usize = 53;

/// The time shown in headings. Passed in, so that a run can be repeated to the byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Year, four digits.
    pub year: u16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, 0 to 59.
    pub second: u8,
}

/// How lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Carriage control becomes blank lines: for terminals and files.
    #[default]
    Plain,
    /// Column 1 is the ASA character `1`, `0`, `-` or blank: for printers and comparison with z/OS.
    Asa,
}

/// A message of a run, for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedMessage {
    /// Its entry in the table.
    pub entry: Option<&'static MessageEntry>,
    /// Id and text on one line, with the place of an error in the cards and what to do about it.
    pub text: String,
}

/// The listing being written.
pub struct Sysprint<'a> {
    sink: &'a mut dyn Write,
    style: Style,
    stamp: Stamp,
    page: u32,
    /// Lines on the current page; `None` before the first page.
    used: Option<usize>,
    subtitle: Option<String>,
    /// The next message begins a group: it is double spaced.
    spaced: bool,
    /// A command has ended, or none has begun: what comes next is set off by a blank line.
    ended: bool,
    /// The last line printed was blank.
    blank: bool,
    error: Option<io::Error>,
    /// The messages, for who asked for them.
    issued: Option<Vec<IssuedMessage>>,
}

/// Carriage control: how far the paper moves before the line is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    Page,
    Single,
    Double,
    Triple,
}

impl Stamp {
    /// The UTC time `seconds` after 1970-01-01 00:00:00; add the zone's offset for local time.
    pub fn from_unix(seconds: i64) -> Stamp {
        // What no calendar has is as good as the first day of all.
        let time = Offset::UTC.to_datetime(Timestamp::from_second(seconds).unwrap_or_default());
        Stamp {
            year: u16::try_from(time.year()).unwrap_or(0),
            month: time.month() as u8,
            day: time.day() as u8,
            hour: time.hour() as u8,
            minute: time.minute() as u8,
            second: time.second() as u8,
        }
    }
}

impl<'a> Sysprint<'a> {
    /// A listing written to `sink`, with `stamp` in its headings.
    pub fn new(sink: &'a mut dyn Write, style: Style, stamp: Stamp) -> Self {
        Sysprint {
            sink,
            style,
            stamp,
            page: 0,
            used: None,
            subtitle: None,
            spaced: true,
            ended: true,
            blank: true,
            error: None,
            issued: None,
        }
    }

    /// The same; and the messages are kept for [`Sysprint::into_messages`], but those that tell of codes and of commands
    /// passed over.
    #[must_use]
    pub fn with_messages(self) -> Self {
        Sysprint {
            issued: Some(Vec::new()),
            ..self
        }
    }

    /// What was said, in order.
    pub fn into_messages(self) -> Vec<IssuedMessage> {
        self.issued.unwrap_or_default()
    }

    /// How lines look.
    pub fn style(&self) -> Style {
        self.style
    }

    /// The time shown in headings.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// One line, single spaced.
    pub fn line(&mut self, text: &str) {
        self.put(Space::Single, text);
    }

    /// One line after a blank one.
    pub fn double(&mut self, text: &str) {
        self.put(Space::Double, text);
    }

    /// One line after two blank ones.
    pub fn triple(&mut self, text: &str) {
        self.put(Space::Triple, text);
    }

    /// Ends the page; the next line begins a new one.
    pub fn new_page(&mut self) {
        if self.used.is_some() {
            self.used = Some(PAGE_LINES);
        }
    }

    /// A line repeated under the heading of each page from the next new page on, such as
    /// `LISTING FROM CATALOG -- name`; `None` ends that.
    pub fn subtitle(&mut self, text: Option<&str>) {
        self.subtitle = text.map(str::to_owned);
    }

    /// A message with its inserts: `out.say(&IDC0550I, &[("kind", &"C"), ("name", &name)])`. The first message of a
    /// command is double spaced, the next ones are not.
    pub fn say(&mut self, message: &MessageEntry, inserts: &[(&str, &dyn Display)]) {
        self.issue_line(&message.line(inserts));
    }

    /// A message after a blank line, whatever came before.
    pub fn say_double(&mut self, message: &MessageEntry, inserts: &[(&str, &dyn Display)]) {
        self.apart_from_all(&message.line(inserts));
    }

    fn apart_from_all(&mut self, text: &str) {
        self.double(text);
        self.keep(text);
    }

    /// Messages as a function issued them for a command with these parameters.
    pub fn messages(&mut self, messages: impl IntoIterator<Item = Message>, params: &Params) {
        for message in messages {
            let about = message.about.as_ref();
            let placed = about.and_then(|(keyword, remedy)| Some((params.place(keyword)?, remedy.as_str())));
            match placed {
                Some((at, remedy)) => self.placed(&message.line(), at, remedy),
                None if message.apart => self.apart_from_all(&message.to_string()),
                None => self.issue_line(&message.to_string()),
            }
        }
    }

    /// The messages of what failed; returns its condition code.
    pub(crate) fn failure(&mut self, failure: Failure, params: &Params) -> u8 {
        let cc = failure.condition();
        self.messages(failure.into_messages(), params);
        cc
    }

    /// A message as it is printed, with its id: like [`Sysprint::say`].
    fn issue_line(&mut self, line: &str) {
        self.grouped(line);
        self.keep(line);
    }

    fn keep(&mut self, line: &str) {
        const CODES: [&str; 5] = ["IDC0001I", "IDC0002I", "IDC0204I", "IDC3003I", "IDC3202I"];
        let Some(issued) = &mut self.issued else { return };
        let id = line.split(' ').next().unwrap_or_default();
        if !CODES.contains(&id) {
            issued.push(IssuedMessage {
                entry: messages::find(id).filter(|entry| entry.id == id),
                text: plain(line),
            });
        }
    }

    /// The messages of an error found in the text of a command: what, where, and a hint.
    pub fn diagnose(&mut self, diagnostic: &Diagnostic) {
        let text = format!("{} {}", diagnostic.message.id, diagnostic.text);
        self.placed(&text, diagnostic.at, &diagnostic.hint);
    }

    /// A message with the place of what it is about, and what to do.
    fn placed(&mut self, text: &str, at: Pos, hint: &str) {
        self.spaced = true;
        let hint = if hint.is_empty() {
            String::new()
        } else {
            format!(": {hint}")
        };
        let place = format!("AT {at}{hint}");
        self.grouped(text);
        self.keep(&format!("{text} {place}"));
        self.line(&format!("         {place}"));
    }

    /// The first write error, if there was one.
    pub fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// The same, when nothing more is printed.
    pub fn into_error(self) -> Option<io::Error> {
        self.error
    }

    /// Cards as read, before the command they make is carried out. A blank line sets them off from what came before.
    pub(crate) fn echo(&mut self, records: &[String]) {
        if records.is_empty() {
            return;
        }
        self.set_off();
        records.iter().for_each(|r| self.line(r));
        self.spaced = true;
    }

    /// IDC0001I, or IDC3003I for a command that gave up: the last line of each command.
    pub(crate) fn completed(&mut self, cc: u8) {
        let message = if cc >= 12 {
            &messages::IDC3003I
        } else {
            &messages::IDC0001I
        };
        // z/OS puts IDC3003I right under the messages that tell the reason.
        self.spaced |= cc < 12;
        self.say(message, &[("cc", &cc)]);
        self.ended = true;
        self.flush();
    }

    /// IDC3202I: the command above was not carried out.
    pub(crate) fn bypassed(&mut self, cc: u8) {
        self.spaced = true;
        self.say(&messages::IDC3202I, &[("cc", &cc)]);
        self.ended = true;
        self.flush();
    }

    /// IDC3207I: nothing after this is read.
    pub(crate) fn ignored(&mut self, cc: u8) {
        self.spaced = true;
        self.say(&messages::IDC3207I, &[("cc", &cc)]);
        self.ended = true;
    }

    /// A message that belongs to no command carried out: set off from what comes before and after.
    pub(crate) fn apart(&mut self, message: &MessageEntry, inserts: &[(&str, &dyn Display)]) {
        self.spaced = true;
        self.say(message, inserts);
        self.spaced = true;
        self.ended = true;
    }

    /// IDC0002I: the last line of the listing.
    pub(crate) fn ended(&mut self, maxcc: u8) {
        self.set_off();
        self.spaced = true;
        self.say(&messages::IDC0002I, &[("cc", &maxcc)]);
        self.flush();
    }

    /// What was printed leaves this process (4).
    pub(crate) fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.sink.flush().err();
        }
    }

    fn set_off(&mut self) {
        if std::mem::take(&mut self.ended) {
            self.double("");
        }
    }

    fn grouped(&mut self, text: &str) {
        let space = if std::mem::take(&mut self.spaced) {
            Space::Double
        } else {
            Space::Single
        };
        self.put(space, text);
    }

    fn put(&mut self, space: Space, text: &str) {
        for (i, part) in wrapped(text).into_iter().enumerate() {
            let space = if i == 0 { space } else { Space::Single };
            let space = if self.page_if_full(space) { Space::Double } else { space };
            self.print(space, &part);
        }
    }

    /// Begins a new page when `space` and one line do not fit any more.
    fn page_if_full(&mut self, space: Space) -> bool {
        if self.used.is_some_and(|used| used + space.lines() <= PAGE_LINES) {
            return false;
        }
        let continued = self.used.is_some();
        self.page += 1;
        self.used = Some(0);
        let heading = self.heading();
        self.print(Space::Page, &heading);
        if let Some(subtitle) = self.subtitle.clone() {
            self.print(Space::Triple, &format!("{:29}{subtitle}", ""));
        }
        continued
    }

    fn heading(&self) -> String {
        let s = &self.stamp;
        format!(
            "IDCAMS  SYSTEM SERVICES{:43}TIME: {:02}:{:02}:{:02}        {:02}/{:02}/{:02}     PAGE{:7}",
            "",
            s.hour,
            s.minute,
            s.second,
            s.month,
            s.day,
            s.year % 100,
            self.page
        )
    }

    fn print(&mut self, space: Space, text: &str) {
        self.used = Some(self.used.unwrap_or(0) + space.lines());
        let text = text.trim_end();
        let line = match self.style {
            Style::Asa => format!("{}{text}\n", space.asa()),
            // On a screen a blank line above a blank line says nothing.
            Style::Plain => {
                let above = if space == Space::Page { 1 } else { space.lines() - 1 };
                let blanks = above.saturating_sub(usize::from(self.blank));
                let line = if text.is_empty() && self.blank { "" } else { "\n" };
                format!("{}{text}{line}", "\n".repeat(blanks))
            }
        };
        self.blank = text.is_empty();
        if self.error.is_none() {
            self.error = self.sink.write_all(line.as_bytes()).err();
        }
    }
}

impl Space {
    fn lines(self) -> usize {
        match self {
            Space::Page | Space::Single => 1,
            Space::Double => 2,
            Space::Triple => 3,
        }
    }

    fn asa(self) -> char {
        match self {
            Space::Page => '1',
            Space::Single => ' ',
            Space::Double => '0',
            Space::Triple => '-',
        }
    }
}

/// Without characters that steer a printer.
fn plain(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.trim_end().chars().map(shown).collect()
}

/// Lines of at most [`WIDTH`] characters, broken at a blank where there is one in the second half.
fn wrapped(text: &str) -> Vec<String> {
    const INDENT: &str = "          ";
    let text: Vec<char> = plain(text).chars().collect();
    let mut rest = text.as_slice();
    let mut lines = Vec::new();
    let mut indent = "";
    while indent.len() + rest.len() > WIDTH {
        let room = WIDTH - indent.len();
        let cut = rest[room / 2..=room]
            .iter()
            .rposition(|c| *c == ' ')
            .map_or(room, |i| i + room / 2);
        lines.push(indent.chars().chain(rest[..cut].iter().copied()).collect());
        let blanks = rest[cut..].iter().take_while(|c| **c == ' ').count();
        rest = &rest[cut + blanks..];
        indent = INDENT;
    }
    lines.push(indent.chars().chain(rest.iter().copied()).collect());
    lines
}
