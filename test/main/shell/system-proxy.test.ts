import { expect, it } from 'vitest';
import { adoptSystemProxy, proxyIn } from '../../../src/main/shell/electron/system-proxy';

it.each([
  ['DIRECT', undefined],
  ['', undefined],
  ['PROXY proxy.corp:3128', 'http://proxy.corp:3128'],
  ['PROXY proxy.corp:3128; DIRECT', 'http://proxy.corp:3128'],
  ['https secure.corp:443;PROXY other:1', 'https://secure.corp:443'],
  ['PROXY [::1]:8080', 'http://[::1]:8080'],
  ['SOCKS5 socks.corp:1080; DIRECT', 'socks5://socks.corp:1080'],
  ['SOCKS old.corp:1080', undefined],
  ['DIRECT; PROXY late:1', undefined],
])('reads the system answer %j as %j', (answer, proxy) => {
  expect(proxyIn(answer)).toBe(proxy);
});

it('takes over what the system says, so that the next model call goes that way', async () => {
  const env: NodeJS.ProcessEnv = {};
  await adoptSystemProxy(() => Promise.resolve('PROXY p:1; DIRECT'), env);
  expect(env).toEqual({ HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://p:1' });
});

it.each(['HTTPS_PROXY', 'http_proxy', 'ALL_PROXY'])('leaves what %s names', async (name) => {
  const env: NodeJS.ProcessEnv = { [name]: 'http://mine:2' };
  await adoptSystemProxy(() => Promise.resolve('PROXY p:1'), env);
  expect(env).toEqual({ [name]: 'http://mine:2' });
});

it('goes on without one when the system cannot say', async () => {
  const env: NodeJS.ProcessEnv = {};
  await adoptSystemProxy(() => Promise.reject(new Error('no')), env);
  expect(env).toEqual({});
});
