import { Failure } from '../../shared/run/failure';
import { runningLinks } from '../app/running';
import { EXIT, type ExitCode } from './exit';
import type { Cli } from './flags';

/** `link`: a new link for each Holdfast that this user shows in a browser. */
export async function linkCommand({ screen }: Pick<Cli, 'screen'>): Promise<ExitCode> {
  const links = await runningLinks();
  if (links.length === 0)
    throw new Failure({
      code: 'not_found',
      message: 'Holdfast isn’t open in a browser.',
      kept: 'Your runs are safe.',
      todo: 'Start Holdfast first, then use the link that it prints.',
    });
  for (const link of links) await screen.out(`${link}\n`);
  return EXIT.ok;
}
