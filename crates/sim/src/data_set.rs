//! A data set under trial.

use crate::request::Request;
use crate::run::ModelRun;
use crate::script::Script;
use crate::subject::Subject;
use crate::trial::Trial;
use crate::workload::Workload;

/// A data set and the requests drawn for it.
#[derive(Debug, Clone)]
pub struct DataSetTrial {
    /// What was drawn.
    pub workload: Workload,
    /// The request that it ends with, whatever was dropped.
    pub end: Option<Request>,
}

impl DataSetTrial {
    fn requests(&self, kept: &[usize]) -> Vec<Request> {
        let kept = kept.iter().map(|&number| &self.workload.requests[number]);
        kept.chain(&self.end).cloned().collect()
    }
}

impl Trial for DataSetTrial {
    fn len(&self) -> usize {
        self.workload.requests.len()
    }

    fn subject(&self, kept: &[usize], faulty: bool) -> Result<Box<dyn Subject + '_>, String> {
        Ok(Box::new(ModelRun::new(
            &self.workload.shape,
            self.requests(kept),
            faulty,
        )))
    }

    /// A script, which `cica-sim replay --explore` takes.
    fn story(&self, kept: &[usize]) -> String {
        let script = Script {
            shape: self.workload.shape.clone(),
            seed: self.workload.seed,
            requests: self.requests(kept),
        };
        script.to_string()
    }
}
