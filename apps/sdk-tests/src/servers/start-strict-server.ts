import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

import type { JsonObject, JsonValue } from "@agent-history/core";

import type { JudgedThought } from "./bound-reasoning.ts";
import { isObject } from "./read-wire.ts";
import { wireTokens } from "./wire-tokens.ts";
import type { Wire, WireReply } from "./wire.ts";

/** What a server does. */
export interface StrictServerOptions {
  readonly wire: Wire;
  /** Returns what the model says to a request; `index` counts the requests that were taken, from 0. Default: "Done." */
  readonly reply?: (body: JsonObject, index: number) => WireReply;
  /** How much a request may hold. Default: anything. */
  readonly window?: {
    readonly contextTokens: number;
    readonly countText: (text: string) => number;
  };
}

/** A server on this machine that speaks as a provider does, and refuses what it would. */
export interface StrictServer extends AsyncDisposable {
  /** The address without a path: `http://127.0.0.1:41234`. */
  readonly origin: string;
  /** The requests that it took, in order. */
  readonly taken: readonly JsonObject[];
  /** What it refused, and why. */
  readonly refusals: readonly Refusal[];
  /** The tokens of each request that it took, where it has a window. */
  readonly tokens: readonly number[];
  /** What became of the reasoning in each request, taken or not, where the wire looks at it. */
  readonly thoughts: readonly (readonly JudgedThought[])[];
}

/** A request that was refused. */
export interface Refusal {
  /** The rules that it breaks; `context-window` where it holds too much. */
  readonly rules: readonly string[];
  readonly body: JsonObject;
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startStrictServer(options: StrictServerOptions): Promise<StrictServer> {
  const state: State = { taken: [], refusals: [], tokens: [], thoughts: [] };
  const server = createServer((request, response) => {
    void answer(request, response, { ...options, state }).catch((error: unknown) => {
      send(response, 500, options.wire.writeError(String(error)));
    });
  });
  // On a busy machine a client may reuse a connection just as it times out.
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port.");
  return {
    ...state,
    origin: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface State {
  readonly taken: JsonObject[];
  readonly refusals: Refusal[];
  readonly tokens: number[];
  readonly thoughts: (readonly JudgedThought[])[];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  {
    wire,
    reply = () => ({ text: "Done." }),
    window,
    state,
  }: StrictServerOptions & { state: State },
): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?");
  const route = wire.route?.(path);
  const given = parsed(await readBody(request));
  const betas = request.headers["anthropic-beta"];
  const sent: JsonValue | undefined = isObject(given)
    ? {
        ...given,
        ...(route !== undefined && { model: route.model }),
        ...(typeof betas === "string" && { betas: betas.split(",") }),
      }
    : given;
  const isPath = path === wire.path || route !== undefined;
  if (!isPath || request.method !== "POST" || !isObject(sent)) {
    return send(response, 404, wire.writeError(`Expected a JSON object, posted to ${wire.path}.`));
  }
  const body = wire.whole === undefined ? sent : wire.whole(sent);
  if (body === undefined) return send(response, 404, wire.writeError("Not found."));
  if (wire.thoughts !== undefined) state.thoughts.push(wire.thoughts(body));
  const rules = [...wire.problems(body)];
  if (window !== undefined) {
    const tokens = wireTokens(body, window.countText);
    if (tokens > window.contextTokens) rules.push("context-window");
    if (rules.length === 0) state.tokens.push(tokens);
  }
  if (rules.length > 0) {
    state.refusals.push({ rules, body });
    return send(
      response,
      400,
      wire.writeError(rules.map((rule) => describe(wire, rule)).join("; ")),
    );
  }
  const index = state.taken.push(body) - 1;
  const answered = wire.write(reply(body, index), `reply_${index}`, body);
  wire.hold?.(sent, body, answered);
  const isStream = route?.isStream ?? body["stream"] === true;
  if (!isStream || wire.stream === undefined) return send(response, 200, answered);
  // Gemini's stream ends as it ends.
  return sendEvents(response, wire.stream(answered), route === undefined ? "data: [DONE]\n\n" : "");
}

/** As the provider says it. */
function describe(wire: Wire, rule: string): string {
  if (rule === "context-window")
    return `The request holds more than the window: ${wire.windowPage}`;
  return wire.rules[rule]?.answer ?? `Invalid request: ${rule}`;
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** As server-sent events, each named by its type if it has one. */
function sendEvents(response: ServerResponse, events: readonly JsonObject[], end: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const { type } = event;
    const name = typeof type === "string" ? `event: ${type}\n` : "";
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(end);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
