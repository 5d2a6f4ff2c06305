import { memoryPair } from '../../../src/shared/contract/memory-port';
import { portSuite } from '../../conformance/port-suite';

portSuite('memory', async () => {
  const [main, window] = memoryPair();
  return { main, window, leave: () => window.close(), dispose: async () => main.close() };
});
