//! Buffers that several opens share (LSR): pools by number, in each of them so many buffers of each size, and what is
//! used least recently gives up its buffer first.
//!
//! As with buffers of its own a pool is a quota and a count above the components (`docs/design/0038`): its buffers say
//! what may be looked at without a transfer, and the components' own pages say what is true.
//!
//! * X1. A string looks at a CI only after a buffer holds it. What none holds is read from the file, one CI with one
//!   request: nothing is read ahead and nothing is chained.
//! * X2. No more CIs are held than there are buffers of the size. The CI that gives up its buffer is the one used least
//!   recently, whosever it is; if its change was put off, it is written first.
//! * X3. What was put off is written when its buffer is taken, when somebody asks for it (WRTBFR) and when its open is
//!   closed. It is in the log before that, as any change is, and it is written by the same rules as all images.
//! * X4. Locks are taken in this order: the table of pools, the members of one, the buffers of one size. Two of the
//!   last are never kept together, and while they are kept nothing is read or written.
//! * X5. A CI is held for a component only while an open of it is a member of the pool, so a pool that is deleted holds
//!   nothing.
//!
//! | file | what |
//! |---|---|
//! | `definition` | which sizes, and how many of each |
//! | `subpool` | the buffers of one size: what they hold, and what was used when |
//! | `member` | a component of an open, and its way to its buffers |
//! | `pools` | pools by their numbers: BLDVRP, DLVRP and WRTBFR |
//! | `string` | what a string does with them |
//! | `text` | definitions as DFSVSAMP has them |

mod definition;
mod member;
mod pools;
mod string;
mod subpool;
mod text;

pub use definition::{PoolBuffers, SubpoolSize, SIZES};
pub use member::LsrOpen;
pub use pools::{PoolError, ResourcePool, ResourcePools, WriteBuffers};
pub use string::LsrBuffers;
pub use subpool::SubpoolCounts;
pub use text::{PoolNote, PoolText, PoolTextError, TextPool};
