import type { JSX } from "preact";

import { call } from "./page-state.ts";
import { WhatIfConditions } from "./what-if-conditions.tsx";
import { WhatIfResult } from "./what-if-result.tsx";

/** The same call under another window, scorer or list of steps, fitted again as the options change. */
export function WhatIfView(): JSX.Element {
  const column = call.value;
  return (
    <div class="split narrow-first">
      <section class="details" aria-label="Conditions" tabIndex={0}>
        <WhatIfConditions />
      </section>
      <section class="result" aria-label="Result">
        {column && <WhatIfResult column={column} />}
      </section>
    </div>
  );
}
