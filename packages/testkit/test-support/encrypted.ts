import type { HistoryStore } from "@agent-history/core";
import { action, observation, summary, userMessage } from "@agent-history/core";

/** What must not be found where a store is encrypted: a name, and what is said, as text. */
export const PLAIN = /Zoraya|Quillfeather|says something|find_person|likes tea/u;

/** A key for each user, and one to find threads by. */
export function testKeys(): {
  readonly keys: {
    readonly of: (thread: { readonly user: string | undefined }) => string;
    readonly get: () => readonly Uint8Array[];
  };
  readonly userKey: Uint8Array;
} {
  const [key, userKey] = [randomKey(), randomKey()];
  // Names of users need not be texts that every engine takes.
  const of = ({ user = "" }: { readonly user: string | undefined }): string => `${user.length}`;
  return { keys: { of, get: () => [key] }, userKey };
}

function randomKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}

/** Writes 10,000 entries with arguments, results, summaries, state, titles, tags and counts. */
export async function writePlain(store: HistoryStore): Promise<void> {
  const user = "Zoraya Quillfeather";
  const agent = { id: "w", role: "worker" } as const;
  for (let thread = 0; thread < 10; thread += 1) {
    const name = `thread-${thread}`;
    await store.setMetadata(name, { user, title: `${user} asks`, tags: [user], hold: user });
    for (let nth = 0; nth < 1000; nth += 250) {
      const batch = Array.from({ length: 250 }, (_, at) => {
        const id = `${nth + at}`;
        const call = { id, name: "find_person", arguments: JSON.stringify({ name: user }) };
        if (at % 3 === 0) return userMessage({ id, content: `${user} says something ${id}` });
        if (at % 3 === 1)
          return action({ id, agent, toolCalls: [{ ...call, id: `${nth + at + 1}` }] });
        const result = { outcome: "success", content: `${user} likes tea` } as const;
        return observation({ id, agent, callId: id, toolName: "find_person", ...result });
      });
      const tokens = new Map([["counter", batch.map(() => 7)]]);
      await store.append(name, batch, { tokens });
    }
    await store.setState(name, "plan", { quote: user }, { expectedRevision: 0 });
    await store.commitCompaction(name, {
      view: "thread",
      summary: summary({ id: "z", content: `${user} likes tea`, strategy: "all", trust: "user" }),
      covers: [{ from: "0", to: "8" }],
      expectedViewRevision: 0,
    });
  }
}
