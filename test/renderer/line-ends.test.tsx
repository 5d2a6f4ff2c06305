import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { LongText } from '../../src/renderer/view/flow/long-text';
import { plainVisible } from '../../src/renderer/view/kit/visible';

const shown = (text: string) => renderToStaticMarkup(<LongText text={text} prose />);

describe('lines that end as on Windows', () => {
  // Long texts are laid out in pieces of 80 lines: a line end must not become half of one where a piece ends.
  it.each([1, 2, 79, 80, 81, 159, 160, 161, 240, 241, 500])('show no carriage return (%i lines)', (lines) => {
    for (const last of ['', 'end']) expect(shown(`${'line\r\n'.repeat(lines)}${last}`)).not.toMatch(/CR|ctl/);
  });

  it('and one that is alone is seen', () => {
    expect(shown(`a\rb${'\r\nline'.repeat(300)}`)).toContain('CR');
    expect(plainVisible('a\r\nb')).toBe('a\r\nb');
  });
});
