/** A worker that could not continue, and why. */
export interface WorkerFailure {
  readonly agentId: string;
  /** One line. */
  readonly reason: string;
}

/** Says below an answer that not everything was looked at; empty where nobody failed. */
export function describeFailures(failures: readonly WorkerFailure[]): string {
  if (failures.length === 0) return "";
  const who = failures.length === 1 ? "1 worker" : `${failures.length} workers`;
  const byReason = Map.groupBy(failures, ({ reason }) => reason);
  const lines = [...byReason].map(
    ([reason, group]) => `- ${group.map(({ agentId }) => agentId).join(", ")}: ${reason}`,
  );
  return `\n\nIncomplete: ${who} could not continue.\n${lines.join("\n")}`;
}
