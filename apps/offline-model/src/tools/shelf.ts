import type { Document } from "../documents/document.ts";
import type { SearchIndex } from "../search/search-index.ts";

/** What the tools work on. */
export interface Shelf {
  readonly documents: readonly Document[];
  readonly index: SearchIndex;
  /** Paths that are no evidence in this turn: they repeat a question. */
  readonly barred: ReadonlySet<string>;
}
