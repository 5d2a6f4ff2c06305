import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyForm, entryOf, problemsOf, type Form } from '../../src/renderer/view/stores/form';
import { pastedInto } from '../../src/renderer/view/stores/pasted';

const fields = Object.keys(emptyForm).filter(
  (key) => typeof emptyForm[key as keyof Form] === 'string' && !['kind', 'login'].includes(key),
) as (keyof Form)[];
const into = (key: keyof Form, value: string): Form => ({
  ...emptyForm,
  ...pastedInto(emptyForm, key, value).part,
});
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const password = fc.stringMatching(/^[A-Z][A-Za-z0-9!$~/@:]{11,20}$/);

describe('what is pasted into the form of a store', () => {
  it('is taken apart when it is a whole address, and its password or token goes nowhere', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<keyof Form>('servers', 'name', 'stream', 'folder'),
        fc.constantFrom('nats', 'tls', 'NATS'),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        word,
        fc.oneof(fc.constant(undefined), fc.record({ user: fc.option(word), secret: password })),
        fc.boolean(),
        (key, scheme, hosts, stream, login, each) => {
          const who = login
            ? `${login.user === null ? '' : `${login.user}:`}${encodeURIComponent(login.secret)}@`
            : '';
          const servers = hosts.map(
            (host, n) => `${n === 0 || each ? `${scheme}://${who}` : ''}${host}:4222`,
          );
          const form = into(key, `${servers.join(',')}/${stream}`);
          expect(form).toMatchObject({
            kind: 'nats',
            servers: hosts.map((host) => `${host}:4222`).join(', '),
            stream,
            login: !login ? 'none' : login.user === null ? 'token' : 'user',
            tls: scheme === 'tls',
          });
          const saved = { ...form, name: 'team' };
          expect(problemsOf(saved, new Set(), true)).toEqual({});
          if (login) {
            const all = JSON.stringify([form, entryOf(saved)]);
            expect(all).not.toContain(login.secret);
            expect(all).not.toContain(encodeURIComponent(login.secret));
            expect(pastedInto(emptyForm, key, `${servers.join(',')}/${stream}`).note).toContain(
              login.user === null ? 'except for the token' : 'except for the password',
            );
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is a folder when it is the address of one', () => {
    for (const address of [
      'file:/home/me/my runs',
      'file:///home/me/my%20runs',
      'file://localhost/home/me/my%20runs',
    ])
      for (const key of ['servers', 'folder', 'name'] as const)
        expect(into(key, address)).toMatchObject({ kind: 'file', folder: '/home/me/my runs', servers: '' });
  });

  it('is entered nowhere when it is a key, in any field', () => {
    const keys = [
      'sk-ant-api03-abc123def456ghi789jkl012',
      'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
      'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY',
      '0123456789abcdef0123456789abcdef',
    ];
    expect(fields.length).toBeGreaterThan(10);
    for (const key of fields)
      for (const secret of keys)
        for (const text of [secret, ` ${secret}\n`, `"${secret}"`, `NATS_TOKEN=${secret}`]) {
          const { part, problem } = pastedInto(emptyForm, key, text);
          expect([key, text, part, typeof problem]).toEqual([key, text, {}, 'string']);
        }
  });

  it('stays as it is when it is typed letter by letter, or is no address', () => {
    let form = emptyForm;
    for (const letter of 'nats://host:4222')
      form = { ...form, ...pastedInto(form, 'servers', form.servers + letter).part };
    expect(form.servers).toBe('nats://host:4222');
    expect(into('name', 'team')).toMatchObject({ name: 'team' });
    expect(into('creds', '/home/me/team.creds')).toMatchObject({ creds: '/home/me/team.creds' });
  });
});
