import { computed, signal } from "@preact/signals";

import type { CallColumn, InspectorData } from "../src/inspector-data.ts";
import { unpackData } from "../src/internal/packed-data.ts";
import type { PackedData } from "../src/internal/packed-data.ts";

/** The views of the page in the order of the tabs, with what each shows and what to look for. */
export const TABS = [
  {
    id: "cost",
    label: "Cost",
    about: "What each call sent and what it cost.",
    look: "Start with the most expensive moments: each links to its place in the map.",
  },
  {
    id: "map",
    label: "Map",
    about: "Rows are entries, columns are calls. The color shows how an entry was sent in a call.",
    look: "Look for columns where many cells change color: there the fit made room.",
  },
  {
    id: "roles",
    label: "Roles",
    about: "The newest prompt of each role, up to the selected call.",
    look: "Look for entries that a role needed but was not shown.",
  },
  {
    id: "requests",
    label: "Requests",
    about: "How each call differs from the previous call of the same agent.",
    look: "Look for calls that sent tokens again: they missed the prompt cache.",
  },
  {
    id: "compactions",
    label: "Compactions",
    about: "Each summary, beside the entries that it replaces.",
    look: "Look at the lost facts: the agent needed them later, or the originals name them.",
  },
  {
    id: "what-if",
    label: "What if",
    about: "The selected call, fitted again with other options.",
    look: "Look for a smaller window that still keeps what matters.",
  },
] as const;

export type TabId = (typeof TABS)[number]["id"];

/** The data of the page. A server replaces it while an agent runs. */
export const data = signal<InspectorData>(readData());
export const tab = signal<TabId>(TABS.find(({ id }) => `#${id}` === location.hash)?.id ?? "cost");
/** The index of the selected call. */
export const selectedCall = signal(Math.max(0, data.value.calls.length - 1));
/** The selected row; initially the newest row of the last call. */
export const selectedRow = signal(lastRow(data.value.calls.at(-1)));

// The map is drawn again if the theme changes.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  data.value = { ...data.value };
});

export const call = computed<CallColumn | undefined>(() => data.value.calls[selectedCall.value]);

/** Selects a call and a row, clamped to those that exist. */
export function select(next: { readonly call?: number; readonly row?: number }): void {
  const { calls, entries } = data.value;
  if (next.call !== undefined) selectedCall.value = clamp(next.call, calls.length);
  if (next.row !== undefined) selectedRow.value = clamp(next.row, entries.length);
}

export function open(id: TabId): void {
  tab.value = id;
  history.replaceState(undefined, "", `#${id}`);
}

/** Returns the newest row of a call's view. */
export function lastRow(column: CallColumn | undefined): number {
  const [row, rows] = column?.runs.at(-1) ?? [0, 1];
  return row + rows - 1;
}

function clamp(value: number, length: number): number {
  return Math.max(0, Math.min(length - 1, value));
}

/** Reads the embedded data. It contains text of a conversation, so it is parsed, never executed, and shown as text only. */
function readData(): InspectorData {
  const packed: PackedData = JSON.parse(document.querySelector("#data")?.textContent ?? "");
  return unpackData(packed);
}
