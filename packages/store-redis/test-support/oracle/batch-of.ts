import {
  action,
  assistantMessage,
  globalObservation,
  observation,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** The batch of an entry, parsed from its id. */
export interface BatchPosition {
  readonly writer: string;
  readonly batch: number;
  readonly index: number;
  readonly size: number;
}

/** Makes a batch whose entry ids identify the batch, which is all that the oracle needs. */
export function batchOf(
  writer: string,
  batch: number,
  size: number,
  entryBytes = 200,
): HistoryEntry[] {
  const content = `${writer} says `.padEnd(entryBytes, "lorem ipsum ");
  const agent = { id: `worker-${writer}`, role: "worker" } as const;
  return Array.from({ length: size }, (_, index): HistoryEntry => {
    const id = `${writer}.${batch}.${index}.${size}`;
    const fields = { id, createdAtMs: batch, content };
    if (index === 0) return batch % 4 === 0 ? userMessage(fields) : assistantMessage(fields);
    if (index % 2 === 1 && index + 1 === size) return globalObservation(fields);
    if (index % 2 === 1) {
      const toolCalls = [{ id: `call-${index}`, name: "read", arguments: "{}" }];
      return action({ ...fields, agent, toolCalls });
    }
    const answer = { callId: `call-${index - 1}`, toolName: "read", outcome: "success" } as const;
    return observation({ ...fields, ...answer, agent });
  });
}

/** Parses an id made by `batchOf`; `undefined` for any other id. */
export function batchPosition(entryId: string): BatchPosition | undefined {
  const match = /^([^.]+)\.(\d+)\.(\d+)\.(\d+)$/u.exec(entryId);
  if (match === null) return undefined;
  const [, writer = "", batch, index, size] = match;
  return { writer, batch: Number(batch), index: Number(index), size: Number(size) };
}
