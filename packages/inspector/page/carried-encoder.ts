/** Returns the token table that the page carries, or an empty string. */
export function carriedRanks(): string {
  const parsed: unknown = JSON.parse(document.querySelector("#ranks")?.textContent ?? '""');
  return typeof parsed === "string" ? parsed : "";
}

/** Replaces tiktoken's module, which embeds the table. Here the table is carried by the page and parsed at the first count. */
const encoder = {
  get bpe_ranks(): string {
    return carriedRanks();
  },
};
// oxlint-disable-next-line import/no-default-export -- The replaced module has a default export.
export default encoder;
