/** The key of the state that a thread has as long as its import is not done. No export has it. */
export const IMPORT_MARK = "agent-history:import";
