import type { CallColumn, DrawnDecision, DrawnEdit, InspectorData } from "../inspector-data.ts";

/** Data in the form that a page embeds: decisions and edits shared by calls are stored once. */
export interface PackedData extends Omit<InspectorData, "calls"> {
  readonly calls: readonly PackedCall[];
  readonly decisions: readonly DrawnDecision[];
  readonly edits: readonly DrawnEdit[];
}

/** A call whose decisions and edits are indexes. */
type PackedCall = Omit<CallColumn, "decisions" | "edits"> & {
  readonly decisions: readonly number[];
  readonly edits: readonly number[];
};

/** Stores each decision and edit once, because plans that continue one another share nearly all of theirs. Linear. */
export function packData(data: InspectorData): PackedData {
  const [decisions, edits] = [pool<DrawnDecision>(), pool<DrawnEdit>()];
  const calls = data.calls.map((call) => ({
    ...call,
    decisions: call.decisions.map(decisions.add),
    edits: call.edits.map(edits.add),
  }));
  return { ...data, calls, decisions: decisions.values, edits: edits.values };
}

/** Reverses {@link packData}. Equal decisions become one object. */
export function unpackData({ decisions, edits, ...data }: PackedData): InspectorData {
  const calls = data.calls.map((call) => ({
    ...call,
    decisions: call.decisions.flatMap((index) => decisions[index] ?? []),
    edits: call.edits.flatMap((index) => edits[index] ?? []),
  }));
  return { ...data, calls };
}

/** A set of unique values; `add` returns the index of a value. */
function pool<Value>() {
  const values: Value[] = [];
  const indexes = new Map<string, number>();
  const add = (value: Value): number => {
    const key = JSON.stringify(value);
    const index = indexes.get(key) ?? values.push(value) - 1;
    indexes.set(key, index);
    return index;
  };
  return { values, add };
}
