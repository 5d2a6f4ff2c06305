import type { Page } from 'playwright';

export interface PolicyReport {
  /** Ways that were refused, by their names. */
  refused: string[];
  /** Violations that the browser reported. */
  violations: number;
  /** A text ran as code. */
  pwned: boolean;
}

/** Tries, inside the page, every way to run text as code or to load something from elsewhere (`url`). */
export function tryPolicy(page: Page, url: string): Promise<PolicyReport> {
  return page.evaluate(async (url) => {
    const violations: string[] = [];
    const refused: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      violations.push(event.effectiveDirective),
    );
    const attempt = async (name: string, run: () => unknown) => {
      const before = violations.length;
      try {
        await run();
      } catch {
        refused.push(name);
      }
      await new Promise((resolve) => setTimeout(resolve, 120));
      if (violations.length > before) refused.push(name);
    };
    const element = (tag: string, attributes: Record<string, string>) => {
      const made = document.createElement(tag);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      document.body.append(made);
      return made;
    };
    const markup = `<img src=x onerror="window.__pwned=1"><svg onload="window.__pwned=1">`;
    await attempt(
      'innerHTML',
      () => (document.body.appendChild(document.createElement('div')).innerHTML = markup),
    );
    await attempt('insertAdjacentHTML', () => document.body.insertAdjacentHTML('beforeend', markup));
    await attempt('document.write', () => document.write(markup));
    await attempt('srcdoc', () => element('iframe', { srcdoc: markup }));
    await attempt('eval', () => (0, eval)('window.__pwned = 1'));
    await attempt('Function', () => new Function('window.__pwned = 1')());
    await attempt('setTimeout text', () => setTimeout('window.__pwned = 1' as unknown as () => void));
    await attempt('inline script', () => {
      const script = document.createElement('script');
      script.text = 'window.__pwned = 1';
      document.body.append(script);
    });
    await attempt('script from elsewhere', () => {
      const script = document.createElement('script');
      script.src = `${url}/x.js`;
      document.body.append(script);
    });
    await attempt('script from data', () =>
      element('script', { src: 'data:text/javascript,window.__pwned=1' }),
    );
    await attempt('event attribute', () => element('img', { src: 'x', onerror: 'window.__pwned=1' }));
    await attempt('import', () => import(/* @vite-ignore */ `${url}/x.js`));
    await attempt(
      'import from data',
      () => import(/* @vite-ignore */ `data:text/javascript,window.__pwned=1//${url}`),
    );
    await attempt('fetch', () => fetch(`${url}/fetch`));
    await attempt('beacon', () => {
      if (!navigator.sendBeacon(`${url}/beacon`)) throw new Error('refused');
    });
    await attempt('XMLHttpRequest', () => {
      const request = new XMLHttpRequest();
      request.open('GET', `${url}/xhr`, false);
      request.send();
    });
    await attempt('WebSocket', () => new WebSocket(url.replace('http', 'ws')));
    await attempt('EventSource', () => new EventSource(`${url}/events`));
    await attempt('remote image', () => element('img', { src: `${url}/image.png` }));
    await attempt('remote style', () => element('link', { rel: 'stylesheet', href: `${url}/style.css` }));
    await attempt(
      'style element',
      () => (element('style', {}).textContent = `body{background:url(${url}/css.png)}`),
    );
    await attempt('style attribute', () => element('p', { style: `background:url(${url}/attr.png)` }));
    await attempt('remote font', async () => {
      const font = new FontFace('x', `url(${url}/font.woff2)`);
      await font.load();
    });
    await attempt('remote media', () => element('video', { src: `${url}/video.mp4`, autoplay: '' }));
    await attempt('frame', () => element('iframe', { src: `${url}/frame` }));
    await attempt('object', () => element('object', { data: `${url}/object` }));
    await attempt('embed', () => element('embed', { src: `${url}/embed` }));
    await attempt('base', () => element('base', { href: `${url}/` }));
    await attempt('form', () => {
      const form = element('form', { action: `${url}/form`, method: 'post' }) as HTMLFormElement;
      form.submit();
    });
    await attempt('worker', () => new Worker(`data:text/javascript,postMessage(1)`));
    await attempt('prefetch', () => element('link', { rel: 'prefetch', href: `${url}/prefetch` }));
    return { refused: [...new Set(refused)], violations: violations.length, pwned: '__pwned' in window };
  }, url);
}
