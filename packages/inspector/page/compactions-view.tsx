import { signal } from "@preact/signals";
import type { JSX } from "preact";

import type { DrawnCompaction, DrawnFact } from "../src/inspector-data.ts";
import { clipped, number, percent, rowKind, rowLine, rowsOf, rowText } from "./cells.ts";
import { Choices, EntryLine } from "./controls.tsx";
import { data, select, selectedRow } from "./page-state.ts";
import { VirtualList } from "./virtual-list.tsx";

const chosen = signal(0);
/** Whether the selected summary is expanded: its originals are shown in its place. */
const isExpanded = signal(false);

/** Shows each summary beside its originals, and the facts that it kept and lost. */
export function CompactionsView(): JSX.Element {
  const { compactions } = data.value;
  const compaction = compactions[chosen.value];
  if (compaction === undefined)
    return (
      <p class="empty">
        No summaries yet. This view lists each summary once a history has been compacted.
      </p>
    );
  return (
    <div class="view" onKeyDown={({ key }) => key === "e" && toggle()}>
      <Choices
        label="Summaries"
        names={[...compactions.keys()]}
        chosen={chosen.value}
        choose={(index) => {
          chosen.value = index;
          isExpanded.value = false;
        }}
        text={(index) => {
          const { tokensBefore = 0, tokensAfter = 0 } = compactions[index] ?? {};
          return `${index + 1}: ${number(tokensBefore)} → ${number(tokensAfter)}`;
        }}
      />
      <Compaction compaction={compaction} />
    </div>
  );
}

function toggle(): void {
  isExpanded.value = !isExpanded.value;
}

function Compaction({ compaction }: { readonly compaction: DrawnCompaction }): JSX.Element {
  const { row, tokensBefore, tokensAfter, trigger, isEncrypted, facts, basis } = compaction;
  const where = basis === "needed" ? "needed later" : "named by the originals";
  const lost = facts.filter(({ isKept }) => !isKept);
  const kept = facts.filter(({ isKept }) => isKept);
  const originals = rowsOf(compaction.covers);
  return (
    <div class="split">
      <section class="details" aria-label="Summary" tabIndex={0}>
        <Facts
          facts={lost}
          title={`Lost: ${lost.length} of ${facts.length} facts ${where}`}
          name="lost"
        />
        <h2>
          {isExpanded.value ? "Originals" : "Summary"}{" "}
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
            {isExpanded.value ? "Show the summary (e)" : "Show the originals (e)"}
          </button>
        </p>
        {isEncrypted && (
          <p>The provider encrypts this summary. The text below was stored with it.</p>
        )}
        <pre dir="auto">
          {clipped(isExpanded.value ? textOf(originals) : rowText(data.value, row))}
        </pre>
        {originals.includes(selectedRow.value) && (
          <>
            <h3>Selected original: {rowKind(data.value, selectedRow.value)}</h3>
            <pre dir="auto">{clipped(rowText(data.value, selectedRow.value))}</pre>
          </>
        )}
        <Facts facts={kept} title={`Kept: ${kept.length}`} name="kept" />
      </section>
      <VirtualList
        label="Originals"
        count={originals.length}
        rowHeight={42}
        row={(index) => <Original row={originals[index] ?? 0} />}
      />
    </div>
  );
}

function Original({ row }: { readonly row: number }): JSX.Element {
  return (
    <EntryLine
      kind={rowKind(data.value, row)}
      text={rowLine(data.value, row)}
      aria-pressed={row === selectedRow.value}
      onClick={() => select({ row })}
    />
  );
}

/** Returns the text of the first few hundred rows, to limit the layout. */
function textOf(rows: readonly number[]): string {
  return rows
    .slice(0, 500)
    .map((row) => rowText(data.value, row))
    .join("\n\n");
}

function Facts({
  facts,
  title,
  name,
}: {
  readonly facts: readonly DrawnFact[];
  readonly title: string;
  readonly name: string;
}): JSX.Element {
  return (
    <>
      <h2>{title}</h2>
      <ul class={`legend is-${name}`}>
        {facts.map(({ kind, text }) => (
          <li key={`${kind} ${text}`}>
            <small>{kind}</small> <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}
