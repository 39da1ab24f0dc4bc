/** How many rows a program asks for and decodes at once: one page blocks the event loop for some milliseconds. */
export const PAGE_ROWS = 500;

/** Cuts a list into pages. */
export function pagesOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / PAGE_ROWS);
  return Array.from({ length: count }, (_, nth) =>
    items.slice(nth * PAGE_ROWS, (nth + 1) * PAGE_ROWS),
  );
}
