import { signal } from "@preact/signals";
import type { JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { decisionAt, isSent, number, percent, rowKind, rowLine, rowsOf } from "./cells.ts";
import { Swatch } from "./legend.tsx";
import { data, lastRow, select, selectedCall, selectedRow } from "./page-state.ts";
import { RowText } from "./row-text.tsx";
import { VirtualList } from "./virtual-list.tsx";

/** The columns show the same rows beside one another; at first the newest. */
const scrolled = signal(Number.MAX_SAFE_INTEGER);

/** The same moment through the eyes of each role: what its newest prompt held of the log. */
export function RolesView(): JSX.Element {
  const { calls } = data.value;
  const columns = newestOfRoles(calls.slice(0, selectedCall.value + 1));
  const known =
    calls.slice(0, selectedCall.value + 1).reduce((last, one) => Math.max(last, lastRow(one)), 0) +
    1;
  return (
    <>
      <div class="columns">
        {columns.map((column) => (
          <RoleColumn key={column.id} column={column} known={known} />
        ))}
      </div>
    </>
  );
}

/** One prompt, entry by entry. */
function RoleColumn({
  column,
  known,
}: {
  readonly column: CallColumn;
  readonly known: number;
}): JSX.Element {
  const all = data.value;
  const { agent, label, totalTokens, windowTokens } = column;
  const edits = new Map(column.edits.map((edit) => [edit.row, edit]));
  const row = (index: number): JSX.Element => {
    const decision = decisionAt(column, index);
    const text = edits.get(index)?.text.slice(0, 160) ?? rowLine(all, index);
    const why =
      decision === undefined ? "not in this view" : `${decision.state}: ${decision.reason}`;
    return (
      <button
        type="button"
        class={`entry ${decision === undefined ? "unseen" : ""}`}
        aria-pressed={index === selectedRow.value}
        title={why}
        onClick={() => select({ row: index, call: all.calls.indexOf(column) })}
      >
        <Swatch state={decision?.state} />
        <span class="kind">{rowKind(all, index)}</span>
        <RowText text={text} isSent={decision === undefined || isSent(decision.state)} />
        {decision?.state !== "kept" && <span class="why">{why}</span>}
      </button>
    );
  };
  return (
    <section class="role" aria-label={`Prompt of ${agent?.id ?? label}`}>
      <h2>
        {agent?.role ?? "prompt"}{" "}
        <small>
          <bdi>{label}</bdi>
        </small>
      </h2>
      <TokenBar tokens={totalTokens} room={windowTokens} />
      <p class="quiet">{shownOf(column, known)}</p>
      <VirtualList
        label={`Entries of ${agent?.id ?? label}`}
        count={known}
        rowHeight={42}
        row={row}
        scrolled={scrolled}
      />
    </section>
  );
}

/** How full a window is. */
function TokenBar({
  tokens,
  room,
}: {
  readonly tokens: number;
  readonly room: number | undefined;
}): JSX.Element {
  const whole = room ?? tokens;
  return (
    <p class="tokens">
      <meter min={0} max={Math.max(1, whole)} value={tokens} aria-label="Tokens of the prompt" />
      {number(tokens)} tokens
      {room !== undefined && `, ${percent(tokens, room)} of its window of ${number(room)}`}
    </p>
  );
}

/** The newest call of each role; of agents without a role, of each agent. */
function newestOfRoles(calls: readonly CallColumn[]): readonly CallColumn[] {
  const newest = new Map<string, CallColumn>();
  for (const column of calls) newest.set(column.agent?.role ?? column.agent?.id ?? "", column);
  const order = ["orchestrator", "manager", "worker"];
  const rank = ({ agent }: CallColumn): number => order.indexOf(agent?.role ?? "");
  return [...newest.values()].toSorted((one, other) => rank(one) - rank(other));
}

/** How much of the log a role was shown. */
function shownOf(column: CallColumn, known: number): string {
  const { tokens } = data.value;
  const rows = rowsOf(column.runs).filter((row) => isSent(decisionAt(column, row)?.state));
  const sum = (some: readonly number[]): number => some.reduce((all, one) => all + one, 0);
  const share = percent(sum(rows.map((row) => tokens[row] ?? 0)), sum(tokens.slice(0, known)));
  return `shown: ${number(rows.length)} of the ${number(known)} entries so far, ${share} of their tokens`;
}
