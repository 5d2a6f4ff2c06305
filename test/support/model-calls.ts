import { profile as profileSchema, type Profile } from '../../src/shared/run/profile';
import { Failure } from '../../src/shared/run/failure';
import type { Message } from '../../src/shared/run/record';
import type { Model, ModelEvent, ModelRequest, ModelTurn } from '../../src/main/model/model';

export const testProfile = (values: Partial<Profile> & Pick<Profile, 'provider'>): Profile =>
  profileSchema.parse({ name: 'test', model: 'test-model', ...values });

export const userSays = (text: string): Message => ({ role: 'user', content: [{ text: { text } }] });

export const testRequest = (values: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'test-model',
  system: ['Be brief.'],
  tools: [],
  messages: [userSays('Hello')],
  thinking: 'off',
  maxOutputTokens: 1024,
  timeoutMs: 20_000,
  chat: false,
  iteration: 0,
  ...values,
});

/** Everything that one call said, and how it ended. */
export interface Heard {
  events: ModelEvent[];
  turn?: ModelTurn;
  failure?: Failure;
}

/** Listens to one call to its end. Anything thrown that is no Failure is an error of the test. */
export async function hear(
  model: Model,
  request: ModelRequest = testRequest(),
  signal: AbortSignal = new AbortController().signal,
  onEvent?: (event: ModelEvent) => void,
): Promise<Heard> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.answer(request, signal)) {
      events.push(event);
      onEvent?.(event);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { events, failure: error };
  }
  const last = events.at(-1);
  return last?.type === 'turn' ? { events, turn: last.turn } : { events };
}

/** The text that was shown. */
export const shownText = (heard: Heard): string =>
  heard.events.map((event) => (event.type === 'text' ? event.text : '')).join('');
