import { HistoryError } from "@agent-history/core";

/** Waits for work until the signal fires: work that does not listen to it is not waited for. */
export async function orAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return work;
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      const message = "The compression was aborted. Nothing was changed.";
      reject(new HistoryError(message, { code: "ABORTED", cause: signal.reason }));
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
