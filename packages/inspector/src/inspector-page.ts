import { entryText } from "@agent-history/transcripts";

import type { CallColumn, DrawnCompaction, InspectorData } from "./inspector-data.ts";

/** The most code units of an entry that the page shows. */
const MOST_TEXT = 2000;

/**
 * Writes data as one HTML page without scripts: a map whose rows are entries and whose columns are calls, what each call cost and where its prompt changed, the
 * summaries, and the entries. It needs no network, and its content security policy lets nothing run or load. Linear in the runs, calls and entries of the data.
 */
export function inspectorPage(data: InspectorData): string {
  const { title, entries, calls, compactions } = data;
  const heading = text(title);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title><style>${STYLE}</style></head><body><main>
<h1>${heading}</h1>
<p>${entries.length} entries, ${calls.length} calls; tokens ${data.isEstimated ? "estimated by length" : `by ${text(data.counterId)}`}</p>
<h2>Entries by call</h2><p>${STATES.map((state) => `<span class="key ${state}">${state}</span>`).join(" ")}</p>
${heatMap(data)}
<h2>Calls</h2><table><tr><th scope="col">call<th scope="col">tokens<th scope="col">US$<th scope="col">same<th scope="col">lost<th scope="col">what changed</tr>
${calls.map(callRow).join("\n")}</table>
<h2>Summaries</h2>
${compactions.map((one) => summary(data, one)).join("\n") || "<p>None.</p>"}
<h2>Entries</h2><ol start="0">
${entries.map((entry, row) => `<li><details><summary>${text(entry.type)} <bdi>${text(entry.id)}</bdi>, ${data.tokens[row] ?? 0} tokens</summary>${quote(data, row)}</details>`).join("\n")}
</ol></main></body></html>
`;
}

function heatMap({ entries, calls }: InspectorData): string {
  const columns = calls.flatMap(({ runs, decisions }, x) =>
    runs.map(([y, rows, index]) => {
      const decision = decisions[index];
      if (decision === undefined) return "";
      const { state, step, reason, tokensBefore, tokensAfter } = decision;
      const says = `call ${x + 1}, ${rows} from row ${y}: ${state} by ${step}, ${reason}, ${tokensBefore} to ${tokensAfter} tokens`;
      return `<rect class="${state}" x="${x}" y="${y}" width="1" height="${rows}"><title>${text(says)}</title></rect>`;
    }),
  );
  const size = `0 0 ${Math.max(1, calls.length)} ${Math.max(1, entries.length)}`;
  return `<svg role="img" aria-label="Rows are entries, columns are calls" viewBox="${size}" preserveAspectRatio="none">${columns.join("")}</svg>`;
}

function callRow({ label, totalTokens, windowTokens, costUsd, change }: CallColumn): string {
  const room = windowTokens === undefined ? "" : ` of ${windowTokens}`;
  const why = change === undefined ? "" : [change.what, ...change.reasons].join("; ");
  return `<tr><th scope="row"><bdi>${text(label)}</bdi><td>${totalTokens}${room}<td>${costUsd?.toFixed(4) ?? ""}<td>${change?.sameTokens ?? ""}<td>${change?.lostTokens ?? ""}<td><bdi>${text(why)}</bdi></tr>`;
}

function summary(data: InspectorData, compaction: DrawnCompaction): string {
  const { row, covers, tokensBefore, tokensAfter, facts } = compaction;
  const lost = facts.filter(({ isKept }) => !isKept);
  const rows = covers.map(([first, count]) => `${first} to ${first + count - 1}`).join(", ");
  const list = lost.map((fact) => `<li>${fact.kind} <bdi>${text(fact.text)}</bdi>`).join("");
  return `<section><p>Row ${row} stands for rows ${rows}: ${tokensBefore} to ${tokensAfter} tokens, ${facts.length - lost.length} of ${facts.length} facts kept.</p>${quote(data, row)}${list && `<p>Lost:</p><ul>${list}</ul>`}</section>`;
}

function quote({ entries }: InspectorData, row: number): string {
  const entry = entries[row];
  return entry === undefined
    ? ""
    : `<pre dir="auto">${text(entryText(entry).slice(0, MOST_TEXT))}</pre>`;
}

/** Escapes what stands in an element or in a quoted attribute. */
function text(value: string): string {
  return value.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const STATES = [
  "kept",
  "shrunk",
  "cleared",
  "summarized",
  "dropped",
  "recalled",
  "repaired",
] as const;

const STYLE = `:root{color-scheme:light dark}body{font:14px system-ui,sans-serif;margin:1rem}
svg{width:100%;height:70vh;border:1px solid}table{border-collapse:collapse}th,td{text-align:left;padding:2px 8px}pre{white-space:pre-wrap;overflow-wrap:anywhere}
.key{border:3px solid;padding:0 4px}.kept{fill:#2e7d32;border-color:#2e7d32}.shrunk{fill:#f9a825;border-color:#f9a825}.cleared{fill:#ef6c00;border-color:#ef6c00}
.summarized{fill:#6a1b9a;border-color:#6a1b9a}.dropped{fill:#c62828;border-color:#c62828}.recalled{fill:#1565c0;border-color:#1565c0}.repaired{fill:#616161;border-color:#616161}`;
