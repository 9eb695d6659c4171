//! Handing on what was found, with what the log says laid over it, and counting it.

use super::dictionaries::Dictionaries;
use super::later::{Later, LaterState};
use super::report::{Doubt, Doubtful, Loss, Report};
use super::{Salvage, SalvagedRecord};
use cica_format::attributes::{Attributes, Organization};
use std::collections::BTreeMap;

/// See the module.
pub struct Emit<'t, E> {
    report: Report,
    take: &'t mut dyn FnMut(SalvagedRecord<'_>) -> Result<(), E>,
    attributes: &'t Attributes,
    /// End of what the last commit had.
    end: u64,
    /// What the log made of records that did not come yet.
    later: BTreeMap<Vec<u8>, LaterState>,
    log: Option<&'t Later>,
    dictionaries: Option<&'t Dictionaries>,
    /// Memory for a record.
    expanded: Vec<u8>,
    /// The entry in the report's doubts that the next record is counted in.
    doubted: Option<usize>,
}

impl<'t, E> Emit<'t, E> {
    pub fn new(
        salvage: &'t Salvage,
        report: Report,
        take: &'t mut dyn FnMut(SalvagedRecord<'_>) -> Result<(), E>,
    ) -> Emit<'t, E> {
        Emit {
            report,
            take,
            attributes: &salvage.attributes,
            end: salvage.data.root.as_ref().map_or(0, |root| root.high_used),
            later: salvage.later.as_ref().map(Later::changes).unwrap_or_default(),
            log: salvage.later.as_ref(),
            dictionaries: salvage.dictionaries.as_ref(),
            expanded: Vec::new(),
            doubted: None,
        }
    }

    /// Hands on a record, unless the log has a later word about it.
    pub fn found(&mut self, found: SalvagedRecord<'_>) -> Result<(), E> {
        let doubted = self.doubted.take();
        let Some(place) = Later::place(self.attributes, &found).filter(|_| !self.later.is_empty()) else {
            return self.hand_on(found);
        };
        self.hand_on_before(&place)?;
        match self.later.remove(&place) {
            None => self.hand_on(found),
            // What was written over a part of what is doubtful does not make the rest sure.
            Some(LaterState::Over(_)) if found.doubt.is_some_and(|doubt| doubt != Doubt::Gap) => self.hand_on(found),
            Some(change) => {
                let doubt = match &change {
                    LaterState::Over(_) => found.doubt,
                    _ => self.doubt(&place),
                };
                let made = change.made_of(Some(found.bytes));
                if let Some(n) = doubted.filter(|_| made.is_none() || doubt.is_none()) {
                    self.report.doubts[n].records -= 1;
                    self.report.doubts[n].superseded += 1;
                }
                made.map_or(Ok(()), |bytes| self.hand_on_later(&place, &bytes, doubt))
            }
        }
    }

    /// Hands on what the log has behind all that was found; the report.
    pub fn end(mut self) -> Result<Report, E> {
        while let Some((place, change)) = self.later.pop_first() {
            self.hand_on_new(&place, change)?;
        }
        Ok(self.report)
    }

    /// What the log has before a place, and the volume does not.
    fn hand_on_before(&mut self, place: &[u8]) -> Result<(), E> {
        while let Some(first) = self.later.first_entry().filter(|first| first.key().as_slice() < place) {
            let (place, change) = first.remove_entry();
            self.hand_on_new(&place, change)?;
        }
        Ok(())
    }

    fn hand_on_new(&mut self, place: &[u8], change: LaterState) -> Result<(), E> {
        // A CI of a linear data set that was never written before is zeros; one that is lost is not.
        let is_new = Later::number(place) >= self.end && self.attributes.organization == Organization::Lds;
        let zeros = is_new.then(|| vec![0; self.attributes.ci_size as usize]);
        let Some(bytes) = change.made_of(zeros.as_deref()) else {
            return Ok(());
        };
        let doubt = self.doubt(place);
        if let Some(why) = doubt {
            self.doubted(None, None, why, false);
            self.doubted = None;
        }
        self.hand_on_later(place, &bytes, doubt)
    }

    /// What speaks against what the log made of a record.
    fn doubt(&self, place: &[u8]) -> Option<Doubt> {
        self.log.and_then(|log| log.doubt(place))
    }

    fn hand_on_later(&mut self, place: &[u8], bytes: &[u8], doubt: Option<Doubt>) -> Result<(), E> {
        self.report.from_log += u64::from(doubt.is_none());
        self.hand_on(Later::found(self.attributes, place, bytes, doubt))
    }

    /// Hands on a record as its user knows it.
    fn hand_on(&mut self, found: SalvagedRecord<'_>) -> Result<(), E> {
        let Some(dictionaries) = self.dictionaries else {
            return self.give(found);
        };
        let mut bytes = std::mem::take(&mut self.expanded);
        let given = match dictionaries.expand(found.bytes, &mut bytes) {
            Ok(()) => self.give(SalvagedRecord { bytes: &bytes, ..found }),
            Err(why) => {
                self.not_expanded(&found, why);
                Ok(())
            }
        };
        self.expanded = bytes;
        given
    }

    fn give(&mut self, found: SalvagedRecord<'_>) -> Result<(), E> {
        match found.doubt {
            None => self.report.sure += 1,
            Some(_) => self.report.doubtful += 1,
        }
        (self.take)(found)
    }

    /// A record cannot be expanded. Of those of one CI that cannot for the same reason the first is told.
    fn not_expanded(&mut self, found: &SalvagedRecord<'_>, why: String) {
        let size = u64::from(self.attributes.ci_size.max(1));
        let ci = found.rba.and_then(|rba| u32::try_from(rba / size).ok());
        let known = |loss: &Loss| loss.ci == ci && loss.why == why;
        if !self.report.losses.iter().rev().take(NEAR).any(known) {
            self.report.losses.push(Loss {
                ca: ci.unwrap_or(0) / u32::from(self.attributes.ci_per_ca.max(1)),
                ci,
                rba: found.rba.unwrap_or(0) / size * size,
                why,
                ..Loss::default()
            });
        }
    }

    pub fn lost(&mut self, loss: Loss) {
        self.report.losses.push(loss);
    }

    /// Counts a doubtful record of a place; unless it is superseded it is handed on next.
    pub fn doubted(&mut self, ca: Option<u32>, ci: Option<u32>, why: Doubt, superseded: bool) {
        let same = |d: &Doubtful| (d.ca, d.ci, d.why) == (ca, ci, why);
        let doubts = &mut self.report.doubts;
        // Records of one place come together, or nearly so.
        let begin = doubts.len().saturating_sub(NEAR);
        let known = (begin..doubts.len()).rev().find(|&n| same(&doubts[n]));
        let n = known.unwrap_or_else(|| {
            doubts.push(Doubtful {
                ca,
                ci,
                why,
                records: 0,
                superseded: 0,
            });
            doubts.len() - 1
        });
        if superseded {
            doubts[n].superseded += 1
        } else {
            doubts[n].records += 1;
            self.doubted = Some(n);
        }
    }
}

/// How far back a place is looked for in the list.
const NEAR: usize = 64;
