import { breakEdits } from "./break-edits.ts";

/** Breaks the edits of a thread in each store, `node print-edit-faults.ts [KILLS]`, and prints what became of the entries. Ends with 1 if any was lost, doubled or came back. */

const kills = Number(process.argv[2] ?? 20);

for (const kind of ["sqlite", "redis", "postgres"] as const) {
  const report = await breakEdits({ kind, kills, cuts: 6, everyItems: 9 });
  const { acknowledged, atReplacements, cut, lost, doubled, resurrected, others, broken } = report;
  const what = `${acknowledged} steps acknowledged, ${kills} kills (${atReplacements} at a replacement), ${cut} connections cut`;
  const wrong = `${lost} lost, ${doubled} doubled, ${resurrected} came back, ${others} others, ${broken} broken`;
  process.stdout.write(`${kind.padEnd(9)} ${what}: ${wrong}\n`);
  if (lost + doubled + resurrected + others + broken > 0) process.exitCode = 1;
}
