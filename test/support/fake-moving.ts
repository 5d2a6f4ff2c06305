import type { movingCommands, RunSide } from '../../src/shared/contract/moving';
import { Failure } from '../../src/shared/run/failure';
import type { Handlers } from '../../src/shared/contract/serve';

/** What the stand-in of the core answers where runs leave and come in: nothing moves. */
export function fakeMoving(scene: {
  compare?: Record<string, RunSide>;
}): Pick<Handlers, keyof typeof movingCommands> {
  const none = (): never => {
    throw new Failure({ code: 'unsupported', message: 'Nothing moves here.' });
  };
  const done = () => ({ done: true });
  return {
    'export.prepare': () => ({ name: 'A run', ending: '.md', folder: '/home/ada/Downloads' }),
    'export.choose': () => ({ place: '', path: '' }),
    'export.start': () => ({ job: 'j' }),
    'import.begin': () => ({ job: 'j' }),
    'import.chunk': done,
    'import.end': done,
    'moving.jobs': () => ({ jobs: [] }),
    'moving.cancel': done,
    'moving.forget': done,
    'moving.show': done,
    'run.compare': ({ a, b }) => {
      const [left, right] = [scene.compare?.[a], scene.compare?.[b]];
      return left && right ? { a: left, b: right } : none();
    },
    'run.forkPoints': () => ({ points: [], total: 0, lastSeq: 0 }),
    'run.fork': none,
    'run.repairPlan': none,
    'run.repair': none,
  };
}
