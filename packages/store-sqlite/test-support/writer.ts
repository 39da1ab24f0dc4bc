// A process that writes batches to one thread and reports which are acknowledged: writer.ts <path> <thread> <name> <batches> <largest batch> [survivesPowerLoss].
import { userMessage } from "@agent-history/core";

import { sqliteStore } from "../src/index.ts";

const [path = "", threadId = "", name = "", batches = "0", largest = "1", promise] =
  process.argv.slice(2);
const survivesPowerLoss = promise === "survivesPowerLoss";
const store = sqliteStore({ path, busyTimeoutMs: 60_000, survivesPowerLoss });

for (let nth = 0; nth < Number(batches); nth++) {
  const size = 1 + ((nth * 7) % Number(largest));
  const batch = Array.from({ length: size }, (_, index) =>
    userMessage({ id: `${name}/${nth}/${index}/${size}`, content: "x".repeat(400) }),
  );
  await store.append(threadId, batch);
  process.stdout.write(`${nth}\n`);
}
await store.close();
