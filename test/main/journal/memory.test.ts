import { memoryStore } from '../../../src/main/journal/memory';
import { journalSuite } from '../../conformance/journal-suite';

journalSuite('The memory store', async () => {
  const store = memoryStore();
  return { store, teardown: () => store.close() };
});
