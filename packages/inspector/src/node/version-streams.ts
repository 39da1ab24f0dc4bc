import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";

import type { InspectorSource } from "../plan-recorder.ts";

/** Streams that notify open pages of new data. */
export interface VersionStreams {
  /** Responds with a stream of versions: the current one, and each later one. */
  readonly open: (response: ServerResponse) => void;
  readonly close: () => void;
}

/** Headers of every response. */
export const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // The address contains the token.
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

const MOST_STREAMS = 16;

/** Creates the streams. Slow readers get only the newest version. The source is observed only while a page is open. */
export function versionStreams(source: InspectorSource, pollMs: number): VersionStreams {
  const open = new Set<ServerResponse>();
  let version = 1;
  let end: (() => void) | undefined;
  const changed = (): void => {
    version += 1;
    for (const response of open) tell(response);
  };
  const tell = (response: ServerResponse): void => {
    if (open.has(response) && !response.writableNeedDrain)
      response.write(`data: {"version":${version}}\n\n`);
  };
  const begin = (): (() => void) => {
    const leave = source.onChange?.(changed);
    const stop = pollMs === Infinity ? undefined : poll(source, pollMs, changed);
    return () => {
      leave?.();
      stop?.();
    };
  };
  return {
    open: (response) => {
      if (open.size >= MOST_STREAMS) {
        response.writeHead(503, { connection: "close" }).end();
        return;
      }
      open.add(response);
      end ??= begin();
      // Writing to a closed page fails.
      response.on("error", () => open.delete(response));
      response.on("drain", () => tell(response));
      response.on("close", () => {
        open.delete(response);
        if (open.size > 0) return;
        end?.();
        end = undefined;
      });
      response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
      // The data may have changed while no page was open.
      version += 1;
      tell(response);
    },
    close: () => {
      end?.();
      end = undefined;
      const left = [...open];
      open.clear();
      for (const response of left) response.end();
    },
  };
}

/** Reads data at intervals, one read at a time, and reports changes. Failed reads are ignored. */
function poll({ data }: InspectorSource, pollMs: number, changed: () => void): () => void {
  let known: string | undefined;
  let isReading = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      const now = hash("sha256", JSON.stringify(await data()));
      if (known !== undefined && known !== now) changed();
      known = now;
    } catch {
      // The next successful read reports the change.
    } finally {
      isReading = false;
    }
  };
  void read();
  const timer = setInterval(() => void read(), pollMs);
  return () => clearInterval(timer);
}
