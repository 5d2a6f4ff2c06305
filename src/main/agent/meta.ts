import { PROTOCOL, RECORD_VERSION } from '../../shared/run/record';
import type { RunRecord } from '../../shared/run/record';
import type { RunConfig } from './config';
import type { AgentParts } from './session';

/** The record that begins a run. */
export const metaRecord = (
  parts: AgentParts,
  config: RunConfig,
  { id, prompt, chat }: { id: string; prompt: string; chat: boolean },
): RunRecord => ({
  seq: 1,
  protocol: PROTOCOL.meta,
  meta: {
    version: RECORD_VERSION,
    run_id: id,
    created: parts.now().toISOString(),
    fingerprint: config.fingerprint,
    prompt,
    ...(chat && { interactive: true }),
  },
});
