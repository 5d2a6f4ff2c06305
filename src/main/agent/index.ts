export { currentFingerprint } from './config';
export { matchingProfiles } from './missing';
export { startRun } from './start';
export { preflight, resumeRun } from './resume';
export type {
  AgentParts,
  ApprovalDecision,
  ApprovalRequest,
  Outcome,
  PendingTool,
  Phase,
  Preflight,
  ResumeOptions,
  Session,
  SessionEvent,
  SessionSnapshot,
  StartOptions,
  UnknownAnswer,
} from './session';
