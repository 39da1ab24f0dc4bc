import { describeQuotedReads } from "../test-support/describe-quoted-reads.ts";
import { STORE_PLACES } from "../test-support/store-factories.ts";

for (const [name, makePlace] of STORE_PLACES) {
  describeQuotedReads(name, async () => {
    const place = makePlace();
    return { store: place.open(), close: place.close };
  });
}
