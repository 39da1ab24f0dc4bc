const PREFIX = "summary-of-";

/** Names a summary by the newest entry it stands for, so that a second try has the same name. */
export function summaryId(entryId: string): string {
  return `${PREFIX}${entryId}`;
}

/** The turn of the newest entry that a summary stands for. */
export function summaryTurn(id: string): string {
  const [turnId = ""] = id.replace(PREFIX, "").split("/");
  return turnId;
}
