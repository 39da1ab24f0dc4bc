// The public exports of the entry.
export { serveInspector } from "./serve-inspector.ts";
export type { InspectorServer, ServeInspectorOptions } from "./serve-inspector.ts";
export { writeInspectorPage } from "./write-inspector-page.ts";
export type { WriteInspectorPageOptions } from "./write-inspector-page.ts";
