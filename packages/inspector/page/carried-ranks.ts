/** Returns the token table that the page carries, or an empty string. */
export function carriedRanks(): string {
  const parsed: unknown = JSON.parse(document.querySelector("#ranks")?.textContent ?? '""');
  return typeof parsed === "string" ? parsed : "";
}
