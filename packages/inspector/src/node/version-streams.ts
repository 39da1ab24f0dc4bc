import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";

import type { InspectorSource } from "../plan-recorder.ts";

/** The pages that wait to hear of something new. */
export interface VersionStreams {
  /** Answers with a stream of versions: the one of now, and each that follows. */
  readonly open: (response: ServerResponse) => void;
  readonly close: () => void;
}

/** Of every answer. */
export const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // The address holds the token.
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

const MOST_STREAMS = 16;

/** A page that reads slowly hears of the newest version only. A source is listened to and read while a page is open. */
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
      // A page that was closed reads no more.
      response.on("error", () => open.delete(response));
      response.on("drain", () => tell(response));
      response.on("close", () => {
        open.delete(response);
        if (open.size > 0) return;
        end?.();
        end = undefined;
      });
      response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
      // What happened while nobody listened is new to whoever begins to.
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

/** Reads data at intervals, one read at a time. A read that fails tells nothing: the next may not. */
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
      // Told by the next read that works.
    } finally {
      isReading = false;
    }
  };
  void read();
  const timer = setInterval(() => void read(), pollMs);
  return () => clearInterval(timer);
}
