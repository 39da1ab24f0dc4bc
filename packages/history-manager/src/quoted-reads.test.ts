import { describeQuotedReads } from "../test-support/describe-quoted-reads.ts";
import { TEST_STORES } from "../test-support/store-factories.ts";

for (const [name, makeTestStore] of TEST_STORES) {
  describeQuotedReads(name, async () => {
    const testStore = makeTestStore();
    return { store: testStore.open(), close: testStore.close };
  });
}
