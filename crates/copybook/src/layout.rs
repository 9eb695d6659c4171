//! From entries to runs of bytes: entries make a tree by their levels, sizes go up in it, places go down.

use super::item::{Item, Sign, Usage};
use super::picture::Picture;
use crate::error::CopybookError;

/// What bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteKind {
    /// Characters, and digits without a sign in them.
    Text,
    /// A digit with a sign in it.
    Sign,
    /// Anything else.
    Bytes,
}

/// Bytes of one kind that lie side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRun {
    /// Where they begin.
    pub from: usize,
    /// Where they end.
    pub to: usize,
    /// What they are.
    pub kind: ByteKind,
}

/// Which byte is what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLayout {
    /// In order, without gaps.
    pub runs: Vec<ByteRun>,
}

impl RecordLayout {
    /// Text throughout.
    pub fn of_text(length: usize) -> RecordLayout {
        let kind = ByteKind::Text;
        RecordLayout {
            runs: vec![ByteRun {
                from: 0,
                to: length,
                kind,
            }],
        }
    }

    /// Bytes of the longest record.
    pub fn length(&self) -> usize {
        self.runs.last().map_or(0, |run| run.to)
    }
}

/// The longest record there is.
const LONGEST: usize = (1 << 24) - 1;

/// Lays entries out. Several records, of level 01, lie one over another.
pub fn lay(items: &[Item]) -> Result<RecordLayout, CopybookError> {
    let Some(first) = items.first() else {
        return Ok(RecordLayout { runs: Vec::new() });
    };
    let whole = Group {
        usage: None,
        sign: None,
        synchronized: false,
    };
    let mut rest = items;
    let mut entries = Vec::new();
    while let Some(item) = rest.first() {
        if item.level != first.level {
            return item.wrong(format!(
                "its level is below that of the first entry, {:02}",
                first.level
            ));
        }
        entries.push(Node::of(&mut rest, whole)?);
    }
    let mut places = Places::default();
    if first.level == 1 {
        for record in &entries {
            places.put(record, 0)?;
            places.tables_end_at(record.all)?;
        }
    } else {
        let end = places.put_all(&entries, 0)?;
        places.tables_end_at(end)?;
    }
    Ok(RecordLayout { runs: places.runs() })
}

/// What entries have from the group they are in.
#[derive(Clone, Copy)]
struct Group {
    usage: Option<Usage>,
    sign: Option<Sign>,
    synchronized: bool,
}

/// An entry and those below it.
struct Node<'a> {
    item: &'a Item,
    /// Bytes of one occurrence.
    one: usize,
    /// Bytes of all.
    all: usize,
    /// SYNCHRONIZED puts it at a multiple of this, from the start of the record.
    boundary: usize,
    /// What is at the ends of an elementary item of several kinds: see [`Node::leaf`].
    kinds: Vec<(ByteKind, usize)>,
    children: Vec<Node<'a>>,
}

impl Item {
    fn wrong<T>(&self, reason: impl std::fmt::Display) -> Result<T, CopybookError> {
        Err(CopybookError::at(self.line, format!("{}: {reason}", self.name)))
    }
}

impl<'a> Node<'a> {
    /// Takes the first entry, and those below it.
    fn of(rest: &mut &'a [Item], group: Group) -> Result<Node<'a>, CopybookError> {
        let (item, behind) = rest.split_first().expect("the caller saw an entry");
        *rest = behind;
        let own = Group {
            usage: item.usage.or(group.usage),
            sign: item.sign.or(group.sign),
            synchronized: item.synchronized || group.synchronized,
        };
        let mut node = Node {
            item,
            one: 0,
            all: 0,
            boundary: 1,
            kinds: Vec::new(),
            children: Vec::new(),
        };
        while rest.first().is_some_and(|next| next.level > item.level) {
            node.children.push(Node::of(rest, own)?);
        }
        node.one = match node.children.is_empty() {
            true => node.leaf(own)?,
            false if item.picture.is_some() => return item.wrong("it has a PICTURE, and entries below it"),
            false => node.sum()?,
        };
        if own.synchronized && node.children.is_empty() {
            node.boundary = boundary(own.usage.unwrap_or(Usage::Display), node.one);
        }
        let times = item.occurs.as_ref().map_or(1, |occurs| occurs.times);
        node.all = match node.one.checked_mul(times) {
            Some(all) if all <= LONGEST => all,
            _ => return item.wrong(format!("it has more than {LONGEST} bytes, as no record has")),
        };
        Ok(node)
    }

    /// Bytes of what is below it.
    fn sum(&self) -> Result<usize, CopybookError> {
        let mut sum = 0usize;
        for child in self.children.iter().filter(|child| child.item.redefines.is_none()) {
            sum = sum.saturating_add(child.all);
        }
        Ok(sum)
    }

    /// Bytes of an elementary item, and what they are.
    fn leaf(&mut self, group: Group) -> Result<usize, CopybookError> {
        let item = self.item;
        let usage = group.usage.unwrap_or(Usage::Display);
        let digits = match (usage, item.picture) {
            (Usage::Bytes(_), Some(_)) => return item.wrong("its USAGE takes no PICTURE"),
            (Usage::Bytes(size), None) => return Ok(self.is(ByteKind::Bytes, size.into())),
            (_, None) => return item.wrong("it has neither a PICTURE nor entries below it"),
            (Usage::Display, Some(Picture::Text(size))) => return Ok(self.is(ByteKind::Text, size)),
            (Usage::BinaryShort, Some(Picture::Text(size))) => return Ok(self.is(ByteKind::Bytes, size)),
            (_, Some(Picture::Text(_))) => return item.wrong("its USAGE is for numbers, its PICTURE is none"),
            (Usage::Display, Some(Picture::Number { digits, signed })) => {
                return Ok(self.zoned(digits, group.sign.filter(|_| signed), signed));
            }
            (_, Some(Picture::Number { digits, .. })) => digits,
        };
        let size = match usage {
            Usage::Packed => digits / 2 + 1,
            Usage::PackedUnsigned => digits.div_ceil(2),
            _ if digits > 18 => return item.wrong("a binary number has at most 18 digits"),
            Usage::BinaryShort => BYTES_OF_DIGITS[digits],
            _ => match digits {
                ..=4 => 2,
                5..=9 => 4,
                _ => 8,
            },
        };
        Ok(self.is(ByteKind::Bytes, size))
    }

    fn is(&mut self, kind: ByteKind, size: usize) -> usize {
        self.kinds.push((kind, size));
        size
    }

    /// Digits of one byte each; a sign stands in the last, or in the first, or beside them.
    fn zoned(&mut self, digits: usize, sign: Option<Sign>, signed: bool) -> usize {
        match (signed, sign) {
            (false, _) => self.is(ByteKind::Text, digits),
            (true, Some(Sign { separate: true, .. })) => self.is(ByteKind::Text, digits + 1),
            (true, Some(Sign { leading: true, .. })) => {
                self.is(ByteKind::Sign, 1) + self.is(ByteKind::Text, digits - 1)
            }
            (true, _) => self.is(ByteKind::Text, digits - 1) + self.is(ByteKind::Sign, 1),
        }
    }
}

/// What the place of a synchronized item is a multiple of. Text and packed numbers stand anywhere.
fn boundary(usage: Usage, size: usize) -> usize {
    match (usage, size) {
        (Usage::Display | Usage::Packed | Usage::PackedUnsigned, _) => 1,
        (Usage::Binary | Usage::BinaryShort | Usage::Bytes(_), 2 | 4 | 8) => size,
        _ => 1,
    }
}

/// Bytes that a binary number of so many digits needs.
const BYTES_OF_DIGITS: [usize; 19] = [0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8];

/// The bytes of the record, as far as they are laid out.
#[derive(Default)]
struct Places<'a> {
    /// What each byte is, and which entry said so.
    bytes: Vec<(ByteKind, Option<&'a Item>)>,
    /// Where tables end that vary.
    tables: Vec<(usize, &'a Item)>,
}

impl<'a> Places<'a> {
    /// Lays all occurrences of an entry out.
    fn put(&mut self, node: &Node<'a>, at: usize) -> Result<(), CopybookError> {
        if let Some(occurs) = &node.item.occurs {
            if occurs.depending {
                self.tables.push((at + node.all, node.item));
            }
        }
        for from in (at..at + node.all).step_by(node.one.max(1)) {
            let mut end = self.put_all(&node.children, from)?;
            for &(kind, size) in &node.kinds {
                self.mark(node.item, kind, end, size)?;
                end += size;
            }
            if from % node.boundary != 0 {
                return node.item.wrong(
                    "SYNCHRONIZED needs slack bytes before it, of which compilers make different numbers; \
                     write them as FILLER",
                );
            }
        }
        Ok(())
    }

    /// Lays entries out one after the other; where they end.
    fn put_all(&mut self, nodes: &[Node<'a>], at: usize) -> Result<usize, CopybookError> {
        let mut end = at;
        // Of each entry, where it is: one that redefines may be redefined itself.
        let mut places: Vec<usize> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let Some(redefined) = &node.item.redefines else {
                self.put(node, end)?;
                places.push(end);
                end += node.all;
                continue;
            };
            let mut before = nodes.iter().zip(&places);
            let over = before.find(|(before, _)| before.item.name == *redefined);
            let Some((over, &place)) = over else {
                return node.item.wrong(format!(
                    "{redefined}, which it redefines, is not before it at its level"
                ));
            };
            if node.all > over.all {
                let (own, its) = (node.all, over.all);
                return node.item.wrong(format!(
                    "it has {own} bytes, and {redefined}, which it redefines, {its}"
                ));
            }
            self.put(node, place)?;
            places.push(place);
        }
        Ok(end)
    }

    /// Says what bytes are; what was said before must agree.
    fn mark(&mut self, item: &'a Item, kind: ByteKind, from: usize, size: usize) -> Result<(), CopybookError> {
        if from + size > self.bytes.len() {
            self.bytes.resize(from + size, (ByteKind::Bytes, None));
        }
        for (number, byte) in self.bytes[from..from + size].iter_mut().enumerate() {
            match *byte {
                (is, Some(before)) if is != kind => {
                    let (first, second) = (words(is), words(kind));
                    let (place, line) = (from + number + 1, before.line);
                    return item.wrong(format!(
                        "byte {place} of the record is {second} here, and {first} in {} of line {line}; it cannot be \
                         told which it is in a record",
                        before.name
                    ));
                }
                _ => *byte = (kind, Some(item)),
            }
        }
        Ok(())
    }

    /// Nothing may stand behind a table that varies: it would stand elsewhere in each record.
    fn tables_end_at(&mut self, end: usize) -> Result<(), CopybookError> {
        match self.tables.drain(..).find(|(at, _)| *at != end) {
            Some((_, item)) => item.wrong(
                "something follows a table that OCCURS DEPENDING ON; where it stands differs from record to record",
            ),
            None => Ok(()),
        }
    }

    fn runs(self) -> Vec<ByteRun> {
        let mut runs: Vec<ByteRun> = Vec::new();
        for (at, (kind, _)) in self.bytes.into_iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.kind == kind => run.to = at + 1,
                _ => runs.push(ByteRun {
                    from: at,
                    to: at + 1,
                    kind,
                }),
            }
        }
        runs
    }
}

fn words(kind: ByteKind) -> &'static str {
    match kind {
        ByteKind::Text => "text",
        ByteKind::Sign => "a digit with a sign",
        ByteKind::Bytes => "binary",
    }
}
