import type { InspectorData } from "../src/inspector-data.ts";
import { data, select, selectedCall } from "./page-state.ts";

/**
 * Follows the server of the page, if there is one; a page opened as a file has none. The page's address contains `token`. `GET events?token=…` is a stream whose messages
 * `{"version":n}` announce new data, and `GET data?token=…` returns it: `InspectorData` as JSON.
 */
export function followServer(): void {
  const token = new URLSearchParams(location.search).get("token");
  if (!location.protocol.startsWith("http") || token === null) return;
  const query = `?token=${encodeURIComponent(token)}`;
  let shown: unknown;
  let isLoading = false;
  let isStale = false;
  const load = async (): Promise<void> => {
    isStale = isLoading;
    if (isLoading) return;
    isLoading = true;
    const response = await fetch(`data${query}`).catch(() => undefined);
    if (response?.ok) show(await response.json());
    isLoading = false;
    if (isStale) await load();
  };
  new EventSource(`events${query}`).addEventListener("message", (event: MessageEvent<string>) => {
    const { version }: { readonly version: unknown } = JSON.parse(event.data);
    if (version === shown) return;
    shown = version;
    void load();
  });
}

/** Shows new data. If the newest call was selected, the new newest call is. */
function show(next: InspectorData): void {
  const isAtEnd = selectedCall.value >= data.value.calls.length - 1;
  data.value = next;
  select({ call: isAtEnd ? next.calls.length - 1 : selectedCall.value });
}
