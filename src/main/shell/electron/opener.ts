import { dialog, shell, type BrowserWindow } from 'electron';
import type { OutsideLink } from '../../app/link';
import { visibleLine } from '../../app/question';

/**
 * The one way out to the system's browser or mail program. The address was read by `outsideLink`; the person sees the
 * whole host and must click. While one question is open there is no second.
 */
export function makeOpener(window: () => BrowserWindow | undefined): (link: OutsideLink) => Promise<boolean> {
  let asking = false;
  return async (link) => {
    const parent = window();
    if (asking || !parent) return false;
    asking = true;
    try {
      const mail = link.href.startsWith('mailto:');
      const { response } = await dialog.showMessageBox(parent, {
        type: 'question',
        message: mail
          ? `Write to ${visibleLine(link.host)}?`
          : `Open ${visibleLine(link.host)} in your browser?`,
        // The host is above; of a long address the ends are shown.
        detail: visibleLine(link.href, 600),
        buttons: ['Cancel', mail ? 'Write' : 'Open'],
        defaultId: 0,
        cancelId: 0,
        noLink: true,
      });
      if (response !== 1) return false;
      await shell.openExternal(link.href);
      return true;
    } finally {
      asking = false;
    }
  };
}
