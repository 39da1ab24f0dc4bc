import { statSync } from "node:fs";

import { HistoryError } from "@agent-history/core";

/** The file that a connection has open, to be told from one that took its name since. */
export interface OpenedFile {
  /** Throws where the name leads to another file by now, or to none: what is written would be nobody's. */
  readonly requireInPlace: () => void;
  /** Remembers the `-wal` that the first write has made. */
  readonly seeLog: () => void;
}

/** Remembers which file, and which `-wal` beside it, a connection has open. */
export function openedFile(path: string): OpenedFile {
  if (path === ":memory:") return { requireInPlace: () => {}, seeLog: () => {} };
  const file = identityOf(path);
  let log: string | undefined;
  return {
    requireInPlace: () => {
      const isMoved = log !== undefined && identityOf(`${path}-wal`) !== log;
      if (isMoved || identityOf(path) !== file) throw replaced();
    },
    seeLog: () => {
      // From then on it stays as long as the connection.
      log ??= identityOf(`${path}-wal`);
    },
  };
}

/** Device and inode; undefined where there is no file. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
}

function replaced(): HistoryError {
  return new HistoryError(
    "The file was removed or replaced while it was open. Nothing was written. Close this store and open another.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "file-replaced" } },
  );
}
