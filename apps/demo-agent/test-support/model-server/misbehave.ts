import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";

import type { Wire } from "./wire.ts";

/** What goes wrong with one call; told apart by `kind`. `after` counts the frames that are sent before. */
export type Fault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly code?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "page" }
  | { readonly kind: "silent" }
  /** All is sent, frame by frame, with a pause after each. */
  | { readonly kind: "slow"; readonly after: 0; readonly pauseMs: number }
  /** The protocol's own word for an end that is none. */
  | { readonly kind: "cut" | "withheld"; readonly after: 0 }
  | { readonly kind: "stall" | "close" | "end" | "half-frame" | "error"; readonly after: number };

/** Answers as a server in trouble does. */
export function misbehave(
  response: ServerResponse,
  fault: Fault,
  wire: Wire,
  frames: readonly string[] = [],
): void {
  const sent = "after" in fault ? frames.slice(0, fault.after).join("") : "";
  switch (fault.kind) {
    case "status":
      response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
      response.end(JSON.stringify(wire.writeError(fault.code ?? "error", "the words of a server")));
      return;
    case "page":
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Welcome</title>");
      return;
    case "silent":
      return;
    case "slow":
      void sendSlowly(response, frames, fault.pauseMs);
      return;
    case "cut":
    case "withheld":
      response.end(frames.join(""));
      return;
    case "stall":
      response.write(sent);
      return;
    case "close":
      response.write(sent, () => response.destroy());
      return;
    case "end":
      response.end(sent);
      return;
    case "half-frame": {
      const next = frames[fault.after] ?? "";
      response.end(sent + next.slice(0, next.length / 2));
      return;
    }
    case "error": {
      const error = JSON.stringify(wire.writeError("server_error", "the words of a server"));
      response.end(`${sent}event: error\ndata: ${error}\n\n`);
    }
  }
}

async function sendSlowly(
  response: ServerResponse,
  frames: readonly string[],
  pauseMs: number,
): Promise<void> {
  for (const frame of frames) {
    response.write(frame);
    await setTimeout(pauseMs);
  }
  response.end();
}
