import { describe, expect, it } from 'vitest';
import { PAGE, Pages, withPage } from '../../src/renderer/store/pages';

/** A list whose answers come when the test says so. */
function list() {
  const asked: { offset: number; answer: (reply: string) => void; fail: (error: Error) => void }[] = [];
  const taken: string[] = [];
  const failed: unknown[] = [];
  const pages = new Pages<string>(
    ({ offset }) =>
      new Promise((answer, fail) => {
        asked.push({ offset, answer, fail });
      }),
    (reply, offset, anew) => taken.push(`${offset} ${reply}${anew ? ' anew' : ''}`),
    (error, anew) => failed.push(anew ? 'anew' : error),
  );
  return { asked, taken, failed, pages };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the pages of a long list', () => {
  it('are asked for once, and only where somebody looks', () => {
    const { asked, pages } = list();
    pages.show(PAGE - 1, PAGE * 2);
    pages.show(PAGE + 5, PAGE + 10);
    expect(asked.map(({ offset }) => offset)).toEqual([0, PAGE, PAGE * 2]);
  });

  it('drop what was asked of an older list, answers and failures', async () => {
    const { asked, taken, failed, pages } = list();
    pages.show(0, PAGE + 1);
    pages.refresh();
    asked[0]?.answer('old');
    asked[1]?.fail(new Error('old'));
    asked[2]?.answer('new');
    await settled();
    expect(asked.map(({ offset }) => offset)).toEqual([0, PAGE, 0, PAGE]);
    expect([taken, failed]).toEqual([['0 new'], []]);
  });

  it('are asked for again after a failure, which is told', async () => {
    const { asked, failed, pages } = list();
    pages.refresh();
    asked[0]?.fail(new Error('away'));
    await settled();
    expect(failed).toHaveLength(1);
    pages.show(0, 5);
    expect(asked).toHaveLength(2);
  });

  it('begin at the top of another list', () => {
    const { asked, pages } = list();
    pages.show(PAGE * 7, PAGE * 7 + 20);
    pages.restart();
    expect(asked.map(({ offset }) => offset)).toEqual([PAGE * 7, 0]);
  });

  it('of another list replace the rows with their first answer, also where that is a failure', async () => {
    const { asked, taken, failed, pages } = list();
    pages.restart();
    // Something changes before the answer is there: it is still the first one of this list.
    pages.refresh();
    asked[1]?.answer('first');
    await settled();
    pages.show(PAGE, PAGE + 1);
    asked[2]?.answer('second');
    await settled();
    pages.restart();
    asked[3]?.fail(new Error('away'));
    await settled();
    pages.show(0, 1);
    asked[4]?.answer('third');
    await settled();
    expect(taken).toEqual(['0 first anew', `${PAGE} second`, '0 third']);
    expect(failed).toEqual(['anew']);
  });

  it('take their places among rows that are not there yet, and cut what the list lost', () => {
    expect(withPage<string>(['a', 'b', 'c'], ['x'], 1, 2)).toEqual(['a', 'x']);
    const far = withPage<string>([], ['z'], 3, 4);
    expect([far.length, far[0], far[3]]).toEqual([4, undefined, 'z']);
  });
});
