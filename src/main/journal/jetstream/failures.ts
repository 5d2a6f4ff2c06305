import { Failure } from '../../../shared/run/failure';

/** What the server answered instead of an acknowledgement. */
export interface ApiRefusal {
  /** HTTP-like class. */
  code: number;
  /** JetStream's own number, see ERR. */
  err: number;
  text: string;
}

/** JetStream's numbers that mean something to us. */
export const ERR = {
  wrongLastSequence: 10071,
  /** "store failed": subject taken, stream full, disk full. The text tells which. */
  storeFailed: 10077,
  tooLarge: 10054,
  noSpace: 10047,
  noMessage: 10037,
  streamNotFound: 10059,
  sealed: 10109,
  /** In a cluster: an earlier message is still on its way to this subject, or under this id; it may yet be stored. */
  inFlight: 10164,
  idInFlight: 10158,
  busy: 10167,
  /** For the account, and for the whole server. */
  notEnabledHere: 10039,
  notEnabled: 10076,
} as const;

/** The JetStream refusal inside whatever the client threw; undefined for time-outs, lost connections and bugs. */
export function refusalOf(error: unknown): ApiRefusal | undefined {
  if (typeof error !== 'object' || error === null || !('api_error' in error)) return undefined;
  const api = error.api_error as { code?: number; err_code?: number; description?: string } | undefined;
  if (api === undefined || typeof api !== 'object') return undefined;
  return { code: api.code ?? 0, err: api.err_code ?? 0, text: api.description ?? '' };
}

const words = (error: unknown): string => {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal.text;
  const { code, message } = error as { code?: string; message?: string };
  if (code === '503' || message === '503') return 'JetStream does not answer';
  return message || code || String(error);
};

export const unavailable = (what: string, error?: unknown): Failure =>
  new Failure(
    {
      code: 'store_unavailable',
      message: error === undefined ? what : `${what}: ${words(error)}.`,
      kept: 'Everything that NATS acknowledged is kept there.',
      todo: 'Check that the NATS server runs and can be reached, then try again.',
    },
    { cause: error },
  );

/** No further try mends these: the account lacks a permission, or there is no JetStream for it. undefined: anything else. */
export function refusedAccess(error: unknown): Failure | undefined {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'PERMISSIONS_VIOLATION') {
    const subject = /"(.+)"/.exec(message)?.[1];
    const listening = /subscription/i.test(message);
    return new Failure(
      {
        code: 'store_config',
        message: `This NATS account may not ${listening ? 'listen to' : 'publish on'} ${subject === undefined ? 'what is needed' : `"${subject}"`}.`,
        kept: 'Everything that NATS acknowledged is kept there.',
        todo: 'Let the account publish on the subjects of the stream, $JS.API.> and $JS.FC.>, and subscribe to the subjects of the stream and to its inboxes.',
        data: subject === undefined ? {} : { subject },
      },
      { cause: error },
    );
  }
  const refusal = refusalOf(error);
  if (refusal?.err !== ERR.notEnabledHere && refusal?.err !== ERR.notEnabled) return undefined;
  return new Failure(
    {
      code: 'store_config',
      message: 'There is no JetStream for this account on the NATS server.',
      todo: 'Enable JetStream in the configuration of the server, and for the account.',
    },
    { cause: error },
  );
}

/** Most that a NATS server can be set to take in one message: its protocol counts in 32 bits. */
const MOST_PAYLOAD = 2 ** 31 - 1;

/** Why a server is left that announces such a limit; undefined: it may be as it says. */
export function absurdServer(maxPayload: unknown): Failure | undefined {
  if (maxPayload === undefined) return undefined;
  if (Number.isSafeInteger(maxPayload) && Number(maxPayload) > 0 && Number(maxPayload) <= MOST_PAYLOAD)
    return undefined;
  return new Failure({
    code: 'store_protocol',
    message:
      'The server at this address announces a message size that no NATS server has, so Holdfast disconnected.',
    kept: 'Holdfast sent no run to this server and read none from it.',
    todo: 'Check the address of the store, and who runs the server there.',
    data: { max_payload: String(maxPayload).slice(0, 40) },
  });
}

export const storeFull = (text: string): Failure =>
  new Failure({
    code: 'no_space',
    message: `The stream takes no more messages: ${text}.`,
    kept: 'Everything that was acknowledged is kept.',
    todo: 'Raise the limits of the stream or free space on the server, then open the run again.',
  });

export const tooLarge = (bytes: number, most: number): Failure =>
  new Failure({
    code: 'too_large',
    message: `A record of ${bytes} bytes is more than this NATS server takes (${most}).`,
    kept: 'Nothing was sent; the run is as it was before this record.',
    todo: 'Raise max_payload of the server (and max_msg_size of the stream), or go on in a store in a folder.',
    data: { bytes, most },
  });

/** The stream's own limit, changed since it was bound. */
export const tooLargeNow = (bytes: number): Failure =>
  new Failure({
    code: 'too_large',
    message: `A record of ${bytes} bytes is more than the stream takes by now.`,
    kept: 'The stream did not take it; the run is as it was before this record.',
    todo: 'Raise max_msg_size of the stream again, then open the run.',
    data: { bytes },
  });

export const superseded = (): Failure =>
  new Failure({
    code: 'fenced',
    message: 'This run was taken over by another writer.',
    kept: 'Every record that NATS acknowledged is kept; nothing more was written from here.',
    todo: 'Open the run again to see what it holds now.',
  });

export const overtaken = (): Failure =>
  new Failure({
    code: 'fenced',
    message:
      'This run grew from somewhere else: what was to be written here does not follow its end any more.',
    kept: 'Every record that NATS acknowledged is kept; this one was not written.',
    todo: 'Open the run again and go on from what it holds.',
  });

export const vanished = (): Failure =>
  new Failure({
    code: 'fenced',
    message:
      'This run is not in the stream any more as this writer left it: it was deleted, or the server lost its end.',
    kept: 'Nothing was written after the last record that the stream still holds.',
    todo: 'Look at the run again before going on. If the server lost power, records that it had acknowledged may be gone: its sync_interval decides that.',
  });

/** A failure of JetStream's answer to something other than a write. */
export function apiFailure(doing: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const access = refusedAccess(error);
  if (access !== undefined) return access;
  const refusal = refusalOf(error);
  if (refusal?.err === ERR.streamNotFound) return unavailable('The stream is not there any more', error);
  return unavailable(`NATS could not ${doing}`, error);
}

export const inTrash = (): Failure =>
  new Failure({
    code: 'exists',
    message: 'A run of that name is in the trash here.',
    kept: 'It is untouched.',
    todo: 'Restore it or delete it for good first, or choose another name.',
  });

export const orphaned = (): Failure =>
  new Failure({
    code: 'exists',
    message: 'Records without a beginning are under that name: a writer went on after the run was deleted.',
    kept: 'They are untouched.',
    todo: 'Delete them, or choose another name.',
  });

export const unsupported = (why: string): Failure =>
  new Failure({ code: 'unsupported', message: why, kept: 'The run is untouched.' });

export const miscopied = (): Failure =>
  new Failure({
    code: 'io',
    message: 'The copy does not have the same bytes as the run that was copied.',
    kept: 'The run that was copied is untouched; the copy was thrown away.',
    todo: 'Try again.',
  });
