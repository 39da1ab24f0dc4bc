import { claudeSessionStore } from "../src/anthropic.ts";
import { sqliteStore } from "../src/store-sqlite.ts";

/** Appends line after line to a session, `node write-session-lines.ts FILE`, and prints the number of each once it is acknowledged, until it is killed. */

const [, , path = ""] = process.argv;
const sessions = claudeSessionStore(sqliteStore({ path }));
for (let index = 0; index < 100_000; index += 1) {
  const line = { type: "user", uuid: `u${index}`, text: "x".repeat(index % 997) };
  await sessions.append({ projectKey: "shop", sessionId: "3f2a" }, [line]);
  process.stdout.write(`${index}\n`);
}
