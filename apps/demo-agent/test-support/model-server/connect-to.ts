import type { ChatModel, ModelEvent } from "@agent-history/offline-model";

import { chooseModel } from "../../providers/choose-model.ts";
import { SERVER_KEY } from "./start-model-server.ts";
import type { ModelServer } from "./start-model-server.ts";

/** How {@link connectTo} connects. */
export interface ConnectOptions {
  readonly key?: string;
  readonly silenceSeconds?: string;
  readonly onWait?: () => void;
}

/** A model behind a server, and what happened. */
export interface Connection {
  readonly model: ChatModel;
  readonly waits: readonly number[];
  readonly events: EventLog;
}

/** Connects to a server by the environment, as the demo does, and waits for nothing. */
export function connectTo(
  protocol: string,
  server: ModelServer,
  options: ConnectOptions = {},
): Connection {
  const { key = SERVER_KEY, silenceSeconds = "60", onWait } = options;
  const waits: number[] = [];
  const env = {
    AGENT_HISTORY_MODEL: `${protocol}:m-1`,
    AGENT_HISTORY_TIMEOUT_SECONDS: silenceSeconds,
    OPENAI_API_KEY: key,
    ANTHROPIC_API_KEY: key,
    OPENAI_BASE_URL: server.url,
    ANTHROPIC_BASE_URL: server.url,
  };
  const { model } = chooseModel(env, {
    random: () => 0.4,
    wait: async (delayMs) => {
      waits.push(delayMs);
      onWait?.();
    },
  });
  return { model, waits, events: eventLog() };
}

/** What a model told while it replied. */
export interface EventLog {
  readonly add: (event: ModelEvent) => void;
  readonly text: () => string;
  readonly deltas: () => number;
  readonly retries: () => readonly ModelEvent[];
}

function eventLog(): EventLog {
  const events: ModelEvent[] = [];
  const deltas = (): readonly string[] =>
    events.flatMap((event) => (event.type === "text" ? [event.delta] : []));
  return {
    add: (event) => void events.push(event),
    text: () => deltas().join(""),
    deltas: () => deltas().length,
    retries: () => events.filter(({ type }) => type === "retry"),
  };
}
