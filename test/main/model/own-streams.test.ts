import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf, outcome, ownStreams, Replay } from './streams';

/** Each class of stream that services have been seen to send, written by hand, with what must become of it. */
describe.each(ownStreams())('the stream $api/$name', ({ api, chunks, expected }) => {
  let replay: Replay;
  beforeAll(async () => {
    replay = await Replay.open();
  });
  afterAll(() => replay.close());
  const offered = chunks.join('\n');

  it('becomes what it says, whole', async () => {
    expect(outcome(await replay.play(api, bytesOf(api, chunks)), offered)).toEqual(expected);
  });

  it('becomes the same in pieces of one byte', async () => {
    expect(outcome(await replay.play(api, bytesOf(api, chunks), 1), offered)).toEqual(expected);
  });

  it('becomes the same with CRLF, comments, keep-alives and a byte order mark', async () => {
    const noise = `: keep-alive\r\n\r\nevent: ping\r\ndata: {"type": "ping"}\r\n\r\nid: 7\r\nretry: 10\r\n`;
    const text = bytesOf(api, chunks, '[DONE]', '\r\n').toString();
    const noisy = `\ufeff${text
      .split('\r\n\r\n')
      .map((event) => (event === '' ? '' : `${noise}${event}`))
      .join('\r\n\r\n')}`;
    expect(outcome(await replay.play(api, Buffer.from(noisy), 7), offered)).toEqual(expected);
  });

  it('becomes the same without its last blank line and end mark', async () => {
    const text = bytesOf(api, chunks, '').toString().trimEnd();
    expect(outcome(await replay.play(api, Buffer.from(text)), offered)).toEqual(expected);
  });

  it('cut behind any event it is a whole turn or a clean failure, never something between', async () => {
    const whole = await replay.play(api, bytesOf(api, chunks));
    for (let cut = 0; cut < chunks.length; cut++) {
      const heard = await replay.play(api, bytesOf(api, chunks.slice(0, cut), ''));
      if (heard.failure) expect(heard.failure.code).toMatch(/^model_/);
      else {
        expect(whole.failure, `a turn after ${cut} events`).toBeUndefined();
        expect({ ...heard.turn, usage: 0 }).toMatchObject({ stop_reason: whole.turn!.stop_reason, usage: 0 });
      }
    }
  });
});
