import { signal } from "@preact/signals";
import type { JSX } from "preact";

import type { DrawnCompaction, DrawnFact } from "../src/inspector-data.ts";
import { clipped, number, percent, rowKind, rowLine, rowsOf, rowText } from "./cells.ts";
import { data, select, selectedRow } from "./page-state.ts";
import { VirtualList } from "./virtual-list.tsx";

const chosen = signal(0);
/** Whether the selected summary is taken back: its originals are shown where it stood. */
const isExpanded = signal(false);

/** Each summary beside its originals, and the facts that it kept and lost. */
export function CompactionsView(): JSX.Element {
  const { compactions } = data.value;
  const compaction = compactions[chosen.value];
  if (compaction === undefined)
    return <p class="empty">No summary that stands for other entries.</p>;
  return (
    <div class="view" onKeyDown={({ key }) => key === "e" && toggle()}>
      <div class="bar" role="group" aria-label="Summaries">
        {compactions.map(({ row, tokensBefore, tokensAfter }, index) => (
          <button
            key={row}
            type="button"
            aria-pressed={index === chosen.value}
            onClick={() => choose(index)}
          >
            {index + 1}: {number(tokensBefore)} → {number(tokensAfter)}
          </button>
        ))}
      </div>
      <Compaction compaction={compaction} />
    </div>
  );
}

function choose(index: number): void {
  chosen.value = index;
  isExpanded.value = false;
}

function toggle(): void {
  isExpanded.value = !isExpanded.value;
}

function Compaction({ compaction }: { readonly compaction: DrawnCompaction }): JSX.Element {
  const { row, tokensBefore, tokensAfter, trigger, isEncrypted } = compaction;
  const originals = rowsOf(compaction.covers);
  const line = (index: number): JSX.Element => {
    const original = originals[index] ?? 0;
    return (
      <button
        type="button"
        class="entry"
        aria-pressed={original === selectedRow.value}
        onClick={() => select({ row: original })}
      >
        <span class="kind">{rowKind(data.value, original)}</span>
        <bdi class="text">{rowLine(data.value, original)}</bdi>
      </button>
    );
  };
  return (
    <div class="split">
      <section class="details" aria-label="Summary" tabIndex={0}>
        <h2>
          {isExpanded.value ? "Taken back" : "Summary"}{" "}
          <small>
            {number(tokensBefore)} → {number(tokensAfter)} tokens (
            {percent(tokensAfter, tokensBefore)}){trigger !== undefined && `, ${trigger}`}
          </small>
        </h2>
        <p>
          <button
            type="button"
            aria-pressed={isExpanded.value}
            aria-keyshortcuts="e"
            onClick={toggle}
          >
            {isExpanded.value ? "Put the summary back (e)" : "Take it back (e)"}
          </button>
        </p>
        {isEncrypted && (
          <p>The provider keeps this summary to itself; what is shown was kept beside it.</p>
        )}
        {isExpanded.value ? (
          <pre dir="auto">{clipped(textOf(originals))}</pre>
        ) : (
          <pre dir="auto">{clipped(rowText(data.value, row))}</pre>
        )}
        {originals.includes(selectedRow.value) && (
          <>
            <h3>The selected original: {rowKind(data.value, selectedRow.value)}</h3>
            <pre dir="auto">{clipped(rowText(data.value, selectedRow.value))}</pre>
          </>
        )}
        <Facts compaction={compaction} />
      </section>
      <VirtualList label="Originals" count={originals.length} rowHeight={42} row={line} />
    </div>
  );
}

/** More than a few hundred nobody reads at once. */
function textOf(rows: readonly number[]): string {
  return rows
    .slice(0, 500)
    .map((row) => rowText(data.value, row))
    .join("\n\n");
}

function Facts({
  compaction: { facts, basis },
}: {
  readonly compaction: DrawnCompaction;
}): JSX.Element {
  const lost = facts.filter(({ isKept }) => !isKept);
  const kept = facts.filter(({ isKept }) => isKept);
  const where = basis === "needed" ? "needed afterwards" : "named by the originals";
  return (
    <>
      <h3>
        Lost: {lost.length} of {facts.length} facts {where}
      </h3>
      <FactList facts={lost} name="lost" />
      <h3>Kept: {kept.length}</h3>
      <FactList facts={kept} name="kept" />
    </>
  );
}

function FactList({
  facts,
  name,
}: {
  readonly facts: readonly DrawnFact[];
  readonly name: string;
}): JSX.Element | null {
  if (facts.length === 0) return null;
  return (
    <ul class={`facts-list is-${name}`}>
      {facts.map(({ kind, text }) => (
        <li key={`${kind} ${text}`}>
          <small>{kind}</small> <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}
