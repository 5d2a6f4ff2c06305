import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright';
import { SERVICES } from '../../src/shared/services';
import { anthropicStandIn } from '../support/anthropic-standin';
import { makeCertificates, type Certificates } from '../support/certificates';
import { openaiStandIn, type ChatStandInOptions } from '../support/openai-standin';
import { project } from '../support/prerequisites';
import { testProxy, type TestProxy } from '../support/proxy';
import type { StandIn } from '../support/standin';
import { cleanUp, picture, start, type Started, type Target } from './harness';
import { composer, conversation, doors, question, ready, settled, status, until } from './steps';

/**
 * What a newcomer does, only by what the screen shows: from a fresh start to a first answer of each service. The services
 * are the strict stand-ins, reached under the real addresses: the app's own proxy and certificate settings lead there.
 */
const RIGHT = 'sk-right-0123456789-abcdWXYZ';
const WRONG = 'sk-wrong-0123456789-efghQRST';

interface Way extends Partial<ChatStandInOptions> {
  host: string;
  /** Typed into the field for the address. */
  address?: string;
  /** What the service says to the first look, where the typed address lacks its version. */
  firstLook?: string;
}
const WAYS: Record<string, Way> = {
  anthropic: { host: 'api.anthropic.com' },
  openai: { host: 'api.openai.com', limit: 'max_completion_tokens' },
  gemini: { host: 'generativelanguage.googleapis.com', base: '/v1beta/openai' },
  openrouter: { host: 'openrouter.ai', base: '/api/v1', openList: true },
  mistral: { host: 'api.mistral.ai' },
  deepseek: { host: 'api.deepseek.com', own: ['thinking'] },
  groq: { host: 'api.groq.com', base: '/openai/v1' },
  xai: { host: 'api.x.ai' },
  together: { host: 'api.together.xyz' },
  moonshot: { host: 'api.moonshot.ai' },
  azure: {
    host: 'mine.openai.azure.com',
    base: '/openai/v1',
    keyHeader: 'api-key',
    limit: 'max_completion_tokens',
    address: 'https://mine.openai.azure.com/',
  },
  other: {
    host: 'llm.example.org',
    base: '/api/v1',
    address: 'llm.example.org/api',
    firstLook: 'GET /api/models is not served',
  },
};
/** Servers on this computer, by who their lists say made the models. */
const LOCAL: Record<string, { owner: string; key: string }> = {
  ollama: { owner: 'library', key: '' },
  lmstudio: { owner: 'organization_owner', key: '' },
  llamacpp: { owner: 'llamacpp', key: '' },
  vllm: { owner: 'vllm', key: '' },
};

/** What a person's hand does. */
class Hand {
  clicks = 0;
  fields = 0;
  readonly began = Date.now();
  async click(what: Locator) {
    await what.click();
    this.clicks++;
  }
  async fill(what: Locator, text: string) {
    await what.fill(text);
    this.fields++;
  }
}

const report: string[] = [];

function newcomer(target: Target, ids: readonly string[], locals: readonly string[]): void {
  describe(`a newcomer (${target})`, () => {
    const services = new Map<string, StandIn>();
    let certificates: Certificates;
    let proxy: TestProxy;
    let app: Started;
    let page: Page;
    beforeAll(async () => {
      certificates = makeCertificates(Object.values(WAYS).map(({ host }) => host));
      for (const id of ids) {
        const { host: _, address: __, firstLook: ___, ...options } = WAYS[id]!;
        const all = {
          seed: 1,
          key: RIGHT,
          calm: true,
          models: ['alpha-large', 'alpha-small'],
          tls: certificates.server,
        };
        services.set(
          id,
          await (id === 'anthropic' ? anthropicStandIn(all) : openaiStandIn({ ...all, ...options })),
        );
      }
      for (const id of locals) {
        const { owner, key } = LOCAL[id]!;
        services.set(id, await openaiStandIn({ seed: 1, key, calm: true, models: ['local-small'], owner }));
      }
      proxy = await testProxy((host) => {
        const id = ids.find((one) => WAYS[one]?.host === host);
        const origin = id === undefined ? undefined : services.get(id)?.origin;
        return origin === undefined ? undefined : Number(new URL(origin).port);
      });
      app = await start(target, {
        env: { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: certificates.caFile, HOLDFAST_SAMPLE: 'on' },
      });
      page = app.page;
      await ready(page);
    });
    afterAll(async () => {
      await cleanUp();
      await Promise.all([...services.values()].map((service) => service.stop()));
      await proxy?.stop();
      certificates?.remove();
      mkdirSync(join(project, 'test-results'), { recursive: true });
      writeFileSync(
        join(project, 'test-results', `newcomer-${target.replace(' ', '-')}.txt`),
        report.join('\n'),
      );
      console.log(report.filter((line) => line.startsWith(target)).join('\n'));
    });
    beforeEach(async () => {
      await page.getByRole('button', { name: 'New chat' }).first().click();
    });

    /** Answers the question whether this address may be used, where it is asked. */
    const agree = async (hand: Hand) => {
      if (target === 'stand-in') return;
      const asked = page.locator('iframe[title="Question"]');
      await asked.waitFor();
      // It may be pressed once it has been in sight for a moment.
      await until(async () => {
        if ((await asked.count()) === 0) return true;
        await question(page)
          .getByRole('button', { name: 'Allow', exact: true })
          .click({ timeout: 5_000 })
          .catch(() => undefined);
        return false;
      }).toBe(true);
      hand.clicks++;
    };
    const toServices = async (hand: Hand) => {
      const first = page.getByRole('region', { name: 'Models' }).getByRole('button', { name: 'Add a model' });
      if (await first.isVisible()) await hand.click(first);
      else {
        await hand.click(page.getByRole('button', { name: /^Profile:/ }));
        await hand.click(page.getByRole('menuitem', { name: 'Add a model…' }));
      }
      await page.getByRole('heading', { name: 'Add a model' }).waitFor();
    };
    const chooseModel = async (form: Locator, hand: Hand, model: string) => {
      const filter = form.getByRole('combobox', { name: /^(Model|Deployment)$/ });
      await filter.fill(model.slice(-5));
      await hand.click(form.getByRole('option', { name: model }));
    };
    const firstAnswer = async (hand: Hand, id: string, name: string) => {
      const save = page.getByRole('button', { name: 'Save in this file' });
      await page.getByRole('heading', { name: 'What should it work on?' }).or(save).first().waitFor();
      if (await save.isVisible()) await hand.click(save);
      await page.getByRole('button', { name: `Profile: ${name}`, exact: true }).waitFor();
      await hand.fill(composer(page), 'hello');
      await composer(page).press('Enter');
      await conversation(page)
        .getByText(/^Answer \d+\.$/)
        .first()
        .waitFor();
      await status(page, 'Your turn');
      expect(
        services.get(id)?.rejected.filter((why) => !/key/i.test(why) && why !== WAYS[id]?.firstLook),
      ).toEqual([]);
      const seconds = (Date.now() - hand.began) / 1000;
      expect(seconds).toBeLessThan(60);
      report.push(
        `${target}: ${name}: ${hand.clicks} clicks, ${hand.fields} fields, ${seconds.toFixed(1)} s`,
      );
    };

    it.each(ids)('reaches a first answer from %s, with a wrong key and then the right one', async (id) => {
      const service = SERVICES.find((one) => one.id === id)!;
      const name = id === 'other' ? 'My model' : service.name;
      const hand = new Hand();
      // One question for the address and this key; the person says yes.
      if (target === 'stand-in') await app.system('answer', { kind: 'messageBox', value: 1 });
      await toServices(hand);
      if (id === ids[0]) await picture(page, `add-model-services-${target.replace(' ', '-')}`);
      await hand.click(
        page
          .getByRole('list', { name: 'Services' })
          .getByRole('button', { name: new RegExp(`^${service.name}`) }),
      );
      const form = page.getByRole('form', { name: `Add a model: ${service.name}` });
      const { address } = WAYS[id]!;
      if (address !== undefined) await hand.fill(form.getByLabel('Address'), address);
      const key = form.getByLabel('Key', { exact: true });
      await hand.fill(key, WRONG);
      await hand.click(form.getByRole('button', { name: 'Connect', exact: true }));
      await agree(hand);
      if (WAYS[id]?.openList) {
        await chooseModel(form, hand, 'alpha-small');
        await hand.click(form.getByRole('button', { name: 'Start chatting' }));
      }
      await form
        .getByRole('alert')
        .getByText(/does not accept the key that you entered/)
        .waitFor();
      if (id === ids[0]) {
        await settled(page);
        await picture(page, `add-model-wrong-key-${target.replace(' ', '-')}`);
      }
      await hand.click(form.getByRole('button', { name: 'Change…' }));
      await hand.fill(key, RIGHT);
      // Leave was given for the other key, not for this one.
      if (target === 'stand-in') await app.system('answer', { kind: 'messageBox', value: 1 });
      await hand.click(form.getByRole('button', { name: 'Connect', exact: true }));
      await agree(hand);
      await form.getByRole('option').first().waitFor();
      // What was entered is nowhere in the page any more.
      expect(await page.content()).not.toContain('0123456789');
      if (!WAYS[id]?.openList) await chooseModel(form, hand, 'alpha-small');
      if (id === ids[0]) {
        await settled(page);
        await picture(page, `add-model-ready-${target.replace(' ', '-')}`);
      }
      await hand.click(form.getByRole('button', { name: 'Start chatting' }));
      await firstAnswer(hand, id, name);
    });

    it.each(locals)('reaches a first answer from %s on a port that it names', async (id) => {
      const service = SERVICES.find((one) => one.id === id)!;
      const hand = new Hand();
      await toServices(hand);
      await hand.fill(page.getByLabel('Server on another port'), new URL(services.get(id)!.origin).port);
      await hand.click(page.getByRole('button', { name: 'Look', exact: true }));
      const found = page.getByRole('list', { name: 'Found on this computer' });
      await hand.click(found.getByRole('button', { name: new RegExp(`^${service.name}`) }));
      const form = page.getByRole('form', { name: `Add a model: ${service.name}` });
      await chooseModel(form, hand, 'local-small');
      await hand.click(form.getByRole('button', { name: 'Start chatting' }));
      await firstAnswer(hand, id, service.name);
    });

    it('goes on with another model of the service after a review, and with another service in a new run', async () => {
      const [from, to] = ['groq', 'anthropic'].map((id) => SERVICES.find((one) => one.id === id)!.name);
      const choose = async (name: string) => {
        await page.getByRole('button', { name: /^Model:/ }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      await page.getByRole('button', { name: /^Profile:/ }).click();
      await page.getByRole('menuitemcheckbox', { name: from! }).click();
      await composer(page).fill('Hello, please name three trees');
      await composer(page).press('Enter');
      await status(page, 'Your turn');
      await page.getByRole('heading', { level: 1, name: 'Name three trees' }).waitFor();
      await choose('Another model of this service…');
      const dialog = page.getByRole('dialog', { name: 'Another model of this service' });
      await dialog.getByRole('option', { name: 'alpha-large' }).click();
      await dialog.getByRole('button', { name: 'Review the change' }).click();
      await page.getByText('Another model may read the conversation differently.').waitFor();
      await page.getByRole('button', { name: /^Force resume/ }).click();
      await page.getByRole('button', { name: 'Model: alpha-large' }).waitFor();
      await choose(to!);
      const onward = page.getByRole('dialog', { name: 'Continue in a new run?' });
      await onward.getByText('https://api.anthropic.com').waitFor();
      await picture(page, `continue-${target.replace(' ', '-')}`);
      await onward.getByRole('button', { name: 'Continue in a new run' }).click();
      await page.getByRole('heading', { level: 1, name: 'Name three trees (continued)' }).waitFor();
      await page.getByText('Goes on from “Name three trees”').waitFor();
      await status(page, 'Your turn');
    });
  });
}

newcomer('browser door', Object.keys(WAYS), Object.keys(LOCAL));
if (doors().includes('stand-in')) newcomer('stand-in', Object.keys(WAYS), Object.keys(LOCAL));
else newcomer('stand-in', ['anthropic', 'groq'], ['ollama', 'llamacpp']);
