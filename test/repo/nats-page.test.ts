import { expect, it } from 'vitest';
import { HEADER } from '../../src/main/journal/jetstream/subjects';
import { read } from '../support/repository';

it('the page about NATS names every subject and every header of what Holdfast writes', () => {
  const page = read('docs/nats.md');
  const families = [...read('src/main/journal/jetstream/subjects.ts').matchAll(/^ {2}\['(_\w+)', '/gm)];
  expect(families.length).toBeGreaterThan(4);
  for (const [, family] of families) expect(page).toContain(`\`runs.${family}.`);
  for (const header of [HEADER.id, HEADER.claim, HEADER.own, HEADER.row, HEADER.change])
    expect(page).toContain(`\`${header}\``);
});
