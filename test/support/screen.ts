import type { Console } from '../../src/main/cli/console';

/** A terminal that keeps what it was shown, and answers questions from a list. */
export interface TestScreen extends Console {
  readonly stdout: string;
  readonly stderr: string;
  /** Questions that were asked. */
  readonly asked: string[];
  lines(): string[];
  json<T = Record<string, unknown>>(): T[];
}

/** `answers`: what a person types; with none, nobody sits there and nothing may be asked; `input` is piped in. */
export function testScreen(answers?: string[], shown = false, input?: string): TestScreen {
  let stdout = '';
  let stderr = '';
  const asked: string[] = [];
  const screen: TestScreen = {
    interactive: answers !== undefined,
    oneScreen: false,
    shown,
    closed: false,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    asked,
    out: (text) => Promise.resolve(void (stdout += text)),
    bytes: (bytes) => Promise.resolve(void (stdout += Buffer.from(bytes).toString())),
    err: (text) => void (stderr += text),
    ask(question) {
      if (answers === undefined) throw new Error('asked, though nobody sits there');
      asked.push(question);
      return Promise.resolve(answers.shift());
    },
    secret(question) {
      asked.push(question);
      return Promise.resolve(answers === undefined ? input : answers.shift());
    },
    lines: () => stdout.split('\n').filter(Boolean),
    json: () =>
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as never),
  };
  return screen;
}
