// A process that answers requests on one thread: turn-writer.ts <address as JSON> <name>. For each line, a version, it begins a turn that
// expects it, and prints what became of that.
import { createInterface } from "node:readline";

import { createHistoryManager } from "../src/index.ts";
import { codeOf, managerOptions } from "./manager-options.ts";
import { openTestStore } from "./open-test-store.ts";
import type { StoreAddress } from "./open-test-store.ts";

const [json = "", name = ""] = process.argv.slice(2);
const address: StoreAddress = JSON.parse(json);
const { store, close } = await openTestStore(address);
let ids = 0;
const history = createHistoryManager(
  managerOptions({ store, newId: () => `${name}-${(ids += 1)}`, now: Date.now }),
);
process.stdout.write("ready\n");

for await (const line of createInterface({ input: process.stdin })) {
  const turn = history.beginTurn({ expectedVersion: Number(line) });
  const code = await codeOf(answer(turn));
  // A caller that goes on without looking is refused too.
  const after = code === undefined ? undefined : await codeOf(answer(turn));
  process.stdout.write(
    `${JSON.stringify([code ?? "kept", ...(after === undefined ? [] : [after])])}\n`,
  );
}
await close();

async function answer(turn: typeof history): Promise<void> {
  await turn.addUserMessage({ content: "Pay the bill." });
  const call = { id: "c1", name: "pay", arguments: "{}" };
  await turn.addToolCalls({ toolCalls: [call] });
  await turn.addToolCallResults([{ callId: "c1", toolName: "pay", content: "Paid." }]);
  await turn.addAssistantMessage({ content: "It is paid." });
}
