import { expect, it } from 'vitest';
import { onEveryDoor } from './harness';

onEveryDoor('the window', (start, target) => {
  it('opens to a composer, with nothing refused by its policy', async () => {
    const { page } = await start();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await page.getByRole('textbox').first().waitFor();
    expect(await page.title()).toContain('Holdfast');
    expect(errors).toEqual([]);
    console.log(target, await page.evaluate(() => document.body.innerText.slice(0, 400)));
  });
});
