/** The table of tokens that the page carries, or an empty text. */
export function carriedRanks(): string {
  const parsed: unknown = JSON.parse(document.querySelector("#ranks")?.textContent ?? '""');
  return typeof parsed === "string" ? parsed : "";
}
