/** How many rows a program asks for and decodes at once: one page blocks the event loop for some milliseconds. */
export const PAGE_ROWS = 500;

/** Cuts a list into pages. What is given is walked once, a page when it is asked for. */
export function* pagesOf<Item>(items: Iterable<Item>): Generator<readonly Item[], undefined> {
  let page: Item[] = [];
  for (const item of items) {
    page.push(item);
    if (page.length < PAGE_ROWS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
  return undefined;
}
