use std::cmp::Reverse;

use super::Engine;
use crate::a2a::{ListTasksResponse, Task};
use crate::dummy::request::{ListTasksRequest, PageToken};

impl Engine {
    /// One page of the tasks that the tenant may see, youngest status first (§3.1.4).
    pub(crate) fn list(&self, tenant: Option<&str>, request: &ListTasksRequest) -> ListTasksResponse {
        let mut matches = Vec::new();
        for task in self.shared.store.all() {
            let (change, time, state) = task.status();
            if task.is_visible_to(tenant)
                && request.context_id.as_deref().is_none_or(|context| task.context_id() == context)
                && request.state.is_none_or(|wanted| state == wanted)
                && request.status_since.is_none_or(|since| time >= since)
            {
                matches.push((change, task));
            }
        }
        matches.sort_unstable_by_key(|(change, _)| Reverse(*change));
        let total_size = matches.len();
        let start = match request.page_token {
            Some(PageToken(before)) => matches.partition_point(|(change, _)| *change >= before),
            None => 0,
        };
        let page = &matches[start..total_size.min(start + request.page_size)];
        let next_page_token = match page.last() {
            Some((last, _)) if start + page.len() < total_size => PageToken(*last).encode(),
            _ => String::new(),
        };
        let show = |task: Task| {
            let mut task = task;
            task.trim_history(request.history_length);
            if !request.include_artifacts {
                task.artifacts.clear();
            }
            task
        };
        let tasks = page.iter().map(|(_, task)| show(task.snapshot())).collect();
        ListTasksResponse { tasks, next_page_token, page_size: request.page_size, total_size }
    }
}
