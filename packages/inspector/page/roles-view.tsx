import { signal } from "@preact/signals";
import type { JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { decisionAt, isSent, number, percent, rowKind, rowLine, rowsOf } from "./cells.ts";
import { EntryLine } from "./controls.tsx";
import { data, lastRow, select, selectedCall, selectedRow } from "./page-state.ts";
import { VirtualList } from "./virtual-list.tsx";

/** The shared scroll position of the columns; initially at the newest rows. */
const scrolled = signal(Number.MAX_SAFE_INTEGER);

/** Shows the newest prompt of each role side by side: which entries of the log it contained. */
export function RolesView(): JSX.Element {
  const calls = data.value.calls.slice(0, selectedCall.value + 1);
  const columns = newestOfRoles(calls);
  const known = calls.reduce((last, one) => Math.max(last, lastRow(one)), 0) + 1;
  return (
    <div class="columns">
      {columns.map((column) => (
        <RoleColumn key={column.id} column={column} known={known} />
      ))}
    </div>
  );
}

/** Shows one prompt, entry by entry. */
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
      <EntryLine
        states={[decision?.state]}
        kind={rowKind(all, index)}
        text={text}
        isGone={decision !== undefined && !isSent(decision.state)}
        why={[decision?.state !== "kept" && why]}
        class={decision === undefined ? "unseen" : ""}
        title={why}
        aria-pressed={index === selectedRow.value}
        onClick={() => select({ row: index, call: all.calls.indexOf(column) })}
      />
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
      <p class="tokens">
        <meter
          min={0}
          max={Math.max(1, windowTokens ?? totalTokens)}
          value={totalTokens}
          aria-label="Tokens of the prompt"
        />
        {number(totalTokens)} tokens
        {windowTokens !== undefined &&
          `, ${percent(totalTokens, windowTokens)} of its window of ${number(windowTokens)}`}
      </p>
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

/** Returns the newest call of each role; for agents without a role, of each agent. */
function newestOfRoles(calls: readonly CallColumn[]): readonly CallColumn[] {
  const newest = new Map<string, CallColumn>();
  for (const column of calls) newest.set(column.agent?.role ?? column.agent?.id ?? "", column);
  const order = ["orchestrator", "manager", "worker"];
  const rank = ({ agent }: CallColumn): number => order.indexOf(agent?.role ?? "");
  return [...newest.values()].toSorted((one, other) => rank(one) - rank(other));
}

/** Describes how much of the log a role was shown. */
function shownOf(column: CallColumn, known: number): string {
  const { tokens } = data.value;
  const rows = rowsOf(column.runs).filter((row) => isSent(decisionAt(column, row)?.state));
  const sum = (some: readonly number[]): number => some.reduce((all, one) => all + one, 0);
  const share = percent(sum(rows.map((row) => tokens[row] ?? 0)), sum(tokens.slice(0, known)));
  return `Shown: ${number(rows.length)} of the ${number(known)} entries so far, ${share} of their tokens`;
}
