import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

import type { ChatModel } from "@agent-history/offline-model";

import { misbehave } from "./misbehave.ts";
import type { Fault } from "./misbehave.ts";
import type { Wire } from "./wire.ts";

/** The key that the server takes. */
export const SERVER_KEY = "sk-test-9f8e7d6c5b4a";

/** What a server does. */
export interface ModelServerOptions {
  readonly wire: Wire;
  /** Thinks of the replies. */
  readonly model: ChatModel;
  /** Whether replies are streams where a stream is asked for. Default `true`. */
  readonly streams?: boolean;
  /** What goes wrong at the n-th call, from 0. Default: nothing. */
  readonly fault?: (call: number) => Fault | undefined;
}

/** A server on this machine that speaks as a provider does. */
export interface ModelServer extends AsyncDisposable {
  /** The base URL for a client. */
  readonly url: string;
  /** The calls so far, in the order they came. */
  readonly calls: readonly ServerCall[];
  /** Resolves when the next call has come. */
  readonly called: () => Promise<void>;
}

/** One call of a client. */
export interface ServerCall {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Starts a server on a free port. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const calls: ServerCall[] = [];
  const news = new EventEmitter();
  const server = createServer((request, response) => {
    void answer(request, response, { ...options, calls, news }).catch((error: unknown) => {
      // As a real server refuses what is no sound request.
      const message = error instanceof Error ? error.message : "unknown";
      sendJson(response, 400, options.wire.writeError("invalid_request_error", message));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port.");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    calls,
    called: async () => {
      await once(news, "call");
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface CallLog {
  readonly calls: ServerCall[];
  readonly news: EventEmitter;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { wire, model, fault, streams = true, calls, news }: ModelServerOptions & CallLog,
): Promise<void> {
  const { url = "", headers } = request;
  const body = await readBody(request);
  const index = calls.push({ url, headers, body }) - 1;
  news.emit("call");
  const [name, prefix] = wire.keyHeader;
  const failure = fault?.(index);
  if (failure !== undefined && !("after" in failure)) {
    misbehave(response, failure, wire);
  } else if (url !== `/v1${wire.path}`) {
    sendJson(response, 404, wire.writeError("not_found", "no such path"));
  } else if (headers[name] !== prefix + SERVER_KEY) {
    const key = String(headers[name]);
    sendJson(response, 401, wire.writeError("invalid_api_key", `Incorrect key: ${key}`));
  } else {
    const reply = await model(wire.read(JSON.parse(body)));
    if (!streams) return sendJson(response, 200, wire.writeWhole(reply));
    const isCut = failure?.kind === "cut" || failure?.kind === "withheld";
    const frames = wire.write(reply, isCut ? failure.kind : "whole");
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (failure !== undefined) misbehave(response, failure, wire, frames);
    else response.end(frames.join(""));
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}
