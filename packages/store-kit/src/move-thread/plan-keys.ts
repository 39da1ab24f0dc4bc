/**
 * With this the keys of state begin under which the history manager keeps plans. A plan knows entries by their ids; where an end of the thread was replaced, these may have
 * stood for others, which an import cannot know: no export of such a thread has plans.
 */
export const PLAN_KEYS = "history-manager/prompt:";
