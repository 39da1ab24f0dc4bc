import { DBOS } from "@dbos-inc/dbos-sdk";
import { postgresStore } from "agent-history/store-postgres";
import OpenAI from "openai";
import pg from "pg";

import { runAgent } from "./agent-run.ts";

/** A worker of the test: takes up what others left, and ends when all runs have. It is killed at any moment. */

const [url = "", origin = "", threads = "1", calls = "1"] = process.argv.slice(2);

const client = new pg.Pool({ connectionString: url, max: 8 });
client.on("error", () => undefined);
const store = postgresStore({ client, schema: "agent_threads" });
const model = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0 });

const run = DBOS.registerWorkflow(
  async (threadId: string, count: number) =>
    runAgent(threadId, count, {
      store,
      client: model,
      step: async (name, step) =>
        DBOS.runStep(async () => step(`${DBOS.workflowID}/${DBOS.stepID}`), { name }),
    }),
  { name: "agent-run" },
);

DBOS.setConfig({
  name: "durable-runs",
  systemDatabaseUrl: url,
  logLevel: "error",
  applicationVersion: "1",
});
await DBOS.launch();
const handles = [];
for (let thread = 0; thread < Number(threads); thread += 1) {
  const workflowID = `run-${thread}`;
  handles.push(await DBOS.startWorkflow(run, { workflowID })(`thread-${thread}`, Number(calls)));
}
console.log("working");
for (const handle of handles) await handle.getResult();
console.log("done");
await DBOS.shutdown();
await client.end();
