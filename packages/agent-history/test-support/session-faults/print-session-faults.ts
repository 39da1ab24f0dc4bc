import { breakSession } from "./break-session.ts";
import { sessionClients } from "./session-clients.ts";

/** Breaks the session of each SDK in each store, `node print-session-faults.ts [KILLS]`, and prints what became of the items. Ends with 1 if any was lost or doubled. */

const kills = Number(process.argv[2] ?? 20);

for (const kind of ["sqlite", "redis", "postgres"] as const) {
  for (const sdk of Object.keys(sessionClients)) {
    const report = await breakSession({ sdk, kind, kills, cuts: 6, everyItems: 5 });
    const { acknowledged, lost, doubled, outOfOrder, unknown, cut } = report;
    const what = `${acknowledged} acknowledged, ${kills} kills, ${cut} connections cut`;
    const wrong = `${lost} lost, ${doubled} doubled, ${outOfOrder} out of order, ${unknown} unknown`;
    process.stdout.write(`${kind.padEnd(9)} ${sdk.padEnd(19)} ${what}: ${wrong}\n`);
    if (lost + doubled + outOfOrder + unknown > 0) process.exitCode = 1;
  }
}
