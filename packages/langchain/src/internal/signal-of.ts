import type { ModelRequestLike } from "../middleware.ts";

/** Returns the signal of an agent's run. */
export function signalOf({ runtime }: ModelRequestLike): AbortSignal | undefined {
  const signal: unknown = runtime && "signal" in runtime ? runtime.signal : undefined;
  return signal instanceof AbortSignal ? signal : undefined;
}
