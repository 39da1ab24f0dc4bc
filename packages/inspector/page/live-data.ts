import type { InspectorData } from "../src/inspector-data.ts";
import { data, select, selectedCall } from "./page-state.ts";

/** Follows the server of the page, if there is one, by asking for its data at intervals; a page opened as a file has none. The page's address contains `token` and `pollMs`. */
export function followServer(): void {
  const query = new URLSearchParams(location.search);
  const token = query.get("token");
  if (!location.protocol.startsWith("http") || token === null) return;
  let tag = "";
  const look = async (): Promise<void> => {
    const asked = { headers: { "if-none-match": tag } };
    const response = await fetch(`data?token=${token}`, asked).catch(() => undefined);
    if (response?.status === 200) {
      tag = response.headers.get("etag") ?? "";
      show(await response.json());
    }
    setTimeout(() => void look(), Number(query.get("pollMs") ?? 1000));
  };
  void look();
}

/** Shows new data. If the newest call was selected, the new newest call is. */
function show(next: InspectorData): void {
  const isAtEnd = selectedCall.value >= data.value.calls.length - 1;
  data.value = next;
  select({ call: isAtEnd ? next.calls.length - 1 : selectedCall.value });
}
