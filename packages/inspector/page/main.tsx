// Styles export nothing.
/* oxlint-disable import/no-unassigned-import */
import { render } from "preact";

import "./page.css";
import { InspectorPage } from "./inspector-page.tsx";
import { followServer } from "./live-data.ts";

const root = document.querySelector("#page");
if (root) render(<InspectorPage />, root);
followServer();
