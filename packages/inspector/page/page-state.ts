import { computed, signal } from "@preact/signals";

import type { CallColumn, InspectorData } from "../src/inspector-data.ts";
import { unpackData } from "../src/internal/packed-data.ts";
import type { PackedData } from "../src/internal/packed-data.ts";

/** The views of the page, in the order of the tabs. */
export const TABS = [
  { id: "map", label: "Heat map" },
  { id: "roles", label: "Roles" },
  { id: "requests", label: "Requests" },
  { id: "compactions", label: "Compactions" },
  { id: "what-if", label: "What if" },
  { id: "cost", label: "Cost" },
] as const;

export type TabId = (typeof TABS)[number]["id"];

/** Everything that is drawn. A server replaces it while an agent runs. */
export const data = signal<InspectorData>(readData());
export const tab = signal<TabId>(TABS.find(({ id }) => `#${id}` === location.hash)?.id ?? "map");
/** The index of the selected call. */
export const selectedCall = signal(Math.max(0, data.value.calls.length - 1));
/** The selected row. */
export const selectedRow = signal(0);

/** Drawings are made anew where it changes. */
export const theme = signal(false);
const dark = matchMedia("(prefers-color-scheme: dark)");
theme.value = dark.matches;
dark.addEventListener("change", ({ matches }) => (theme.value = matches));

export const call = computed<CallColumn | undefined>(() => data.value.calls[selectedCall.value]);

/** Selects a call and a row, as far as there are such. */
export function select(next: { readonly call?: number; readonly row?: number }): void {
  const { calls, entries } = data.value;
  if (next.call !== undefined) selectedCall.value = clamp(next.call, calls.length);
  if (next.row !== undefined) selectedRow.value = clamp(next.row, entries.length);
}

export function open(id: TabId): void {
  tab.value = id;
  history.replaceState(undefined, "", `#${id}`);
}

function clamp(value: number, length: number): number {
  return Math.max(0, Math.min(length - 1, value));
}

/** What stands in the page is data of a conversation: it is parsed, never executed, and shown as text only. */
function readData(): InspectorData {
  const packed: PackedData = JSON.parse(document.querySelector("#data")?.textContent ?? "");
  return unpackData(packed);
}
