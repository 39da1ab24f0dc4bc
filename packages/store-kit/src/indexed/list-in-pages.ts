import type { HistoryStore } from "@agent-history/core";

/** A part of a list, and where the next begins. */
type Listed = Awaited<ReturnType<HistoryStore["list"]>>;

/** What is asked for. */
interface Asked {
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** How many ids are read before others have their turn. */
const PAGE_IDS = 1000;

/**
 * Lists threads in pages of at most 1,000, so that a list without a limit blocks the event loop for no longer than a page takes, and ends between two of them where
 * `readPage` throws.
 *
 * @param readPage - Reads one page; it may give fewer threads than asked for as long as it gives a cursor.
 */
export async function listInPages(
  { cursor, limit }: Asked,
  readPage: (asked: Asked) => Promise<Listed>,
): Promise<Listed> {
  let page = await readPage({ cursor, limit: Math.min(limit, PAGE_IDS) });
  if (page.cursor === undefined || page.threads.length >= limit) return page;
  const threads = [...page.threads];
  while (page.cursor !== undefined && threads.length < limit) {
    await new Promise(setImmediate);
    const left = Math.min(limit - threads.length, PAGE_IDS);
    page = await readPage({ cursor: page.cursor, limit: left });
    for (const thread of page.threads) threads.push(thread);
  }
  return { ...page, threads };
}
