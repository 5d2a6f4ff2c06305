import type { PreflightView } from '../../../shared/contract/views';
import type { ProfileEntry } from '../../store/profiles';
import { answersReady, type Answers } from './unknown';

/** What the person has to do before this run can be resumed, as the ends of a sentence; empty where nothing is left. */
export function firstOf(
  flight: PreflightView,
  entry: ProfileEntry | undefined,
  { answers, endpointOk, originOk }: { answers: Answers; endpointOk: boolean; originOk: boolean },
): string[] {
  const first: string[] = [];
  if (flight.origin.kind !== 'here' && !originOk) first.push('agree to the profile and the folder above');
  if (!answersReady(flight.unknown, answers))
    first.push(
      flight.unknown.some(({ fate }) => fate === 'unknown')
        ? 'say what happened to the tool that was running'
        : 'decide about the open calls',
    );
  if (flight.endpoint?.changed && !endpointOk) first.push('agree to where the conversation goes');
  if (entry && entry.problem !== '') first.push(`make the profile usable (${entry.problem})`);
  for (const { code } of acts(flight) ? flight.missing : []) {
    const what = MISSING[code] ?? 'settle what is said above';
    if (!first.includes(what) && !(code === 'key_missing' && entry?.problem)) first.push(what);
  }
  return first;
}

/** Whether a resume calls a model or runs a tool, and so needs all that they need. */
const acts = ({ next, resume }: PreflightView): boolean => resume.then === 'call' || next === 'tools';

/** What to do about what a resume lacks, by the code of the failure that tells of it. */
const MISSING: Partial<Record<string, string>> = {
  key_missing: 'add a key to the profile, or choose another profile',
  model_request: 'choose a model in the profile, or choose another profile',
  not_found: 'choose another folder',
};
