import { signal } from "@preact/signals";
import type { JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { decisionAt, isSent, number, percent, rowKind, rowLine } from "./cells.ts";
import { data, select, selectedCall, selectedRow } from "./page-state.ts";
import { RowText } from "./row-text.tsx";
import { VirtualList } from "./virtual-list.tsx";

/** The columns show the same rows beside one another. */
const scrolled = signal(0);

/** The same moment through the eyes of each role: what its newest prompt held of the log. */
export function RolesView(): JSX.Element {
  const { calls } = data.value;
  const columns = newestOfRoles(calls.slice(0, selectedCall.value + 1));
  const known = Math.max(0, ...calls.slice(0, selectedCall.value + 1).map(lastRow)) + 1;
  return (
    <>
      <p class="hint">
        The newest prompt of each role up to call {selectedCall.value + 1}. Struck out: what it was
        not shown, and why.
      </p>
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
        class={`entry ${decision?.state ?? "hidden"}`}
        aria-pressed={index === selectedRow.value}
        title={why}
        onClick={() => select({ row: index, call: all.calls.indexOf(column) })}
      >
        <i class={`swatch ${decision?.state ?? ""}`} aria-hidden="true" />
        <span class="kind">{rowKind(all, index)}</span>
        <RowText text={text} isSent={isSent(decision?.state)} />
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
      {number(tokens)} tokens{room !== undefined && `, ${percent(tokens, room)} of ${number(room)}`}
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

function lastRow({ runs }: CallColumn): number {
  const last = runs.at(-1);
  return last === undefined ? 0 : last[0] + last[1] - 1;
}
