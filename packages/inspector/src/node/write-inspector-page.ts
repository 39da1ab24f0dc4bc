import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

import { HistoryError, throwIfAborted } from "@agent-history/core";

import type { InspectorData } from "../inspector-data.ts";
import { inspectorPage } from "../inspector-page.ts";
import type { InspectorPageOptions } from "../inspector-page.ts";

/** Options of {@link writeInspectorPage}. */
export interface WriteInspectorPageOptions extends InspectorPageOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes data as a page to a file that only its owner can read. An existing file or link is replaced atomically, never written into.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the file cannot be written, `ABORTED` if the signal fires; the file is then unchanged.
 *
 * @example
 * ```ts no-run
 * import { inspectPlans } from "@agent-history/inspector";
 * import { writeInspectorPage } from "@agent-history/inspector/node";
 *
 * await writeInspectorPage("page.html", inspectPlans({ plans: [], entries: [] }));
 * ```
 */
export async function writeInspectorPage(
  path: string,
  data: InspectorData,
  { signal, ranks }: WriteInspectorPageOptions = {},
): Promise<void> {
  throwIfAborted(signal);
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await writeFile(draft, inspectorPage(data, { ranks }), {
      mode: 0o600,
      flag: "wx",
      ...(signal && { signal }),
    });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throwIfAborted(signal);
    throw new HistoryError(`Cannot write ${path}. The reason is in \`cause\`.`, {
      code: "INVALID_OPTION",
      details: { option: "path", path },
      cause: error,
    });
  }
}
