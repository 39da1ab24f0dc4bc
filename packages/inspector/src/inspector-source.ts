import type { InspectorData } from "./inspector-data.ts";

/** Where a page that follows something gets its data from. */
export interface InspectorSource {
  /** Returns the data of this moment. */
  readonly data: () => InspectorData | Promise<InspectorData>;
  /** Calls back when there is something new, until the returned function is called. */
  readonly onChange?: ((listener: () => void) => () => void) | undefined;
}
