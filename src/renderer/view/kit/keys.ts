/** True where the command key is meant by `mod`. */
export const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.userAgent ?? '');

const SHOWN: Record<string, string> = isMac
  ? {
      mod: '⌘',
      shift: '⇧',
      alt: '⌥',
      enter: '↩',
      backspace: '⌫',
      delete: '⌦',
      escape: 'esc',
      up: '↑',
      down: '↓',
    }
  : {
      mod: 'Ctrl',
      shift: 'Shift',
      alt: 'Alt',
      enter: 'Enter',
      backspace: 'Backspace',
      delete: 'Del',
      escape: 'Esc',
      up: '↑',
      down: '↓',
      space: 'Space',
    };

/** `mod+k` as this system writes it, one part for each key. */
export const keyParts = (keys: string): string[] =>
  keys.split('+').map((key) => SHOWN[key] ?? (key.length === 1 ? key.toUpperCase() : key));

const ARROWS = new Set(['up', 'down', 'left', 'right']);

/** Does the event press exactly `keys` (`mod+shift+p`)? */
export function pressed(event: KeyboardEvent | React.KeyboardEvent, keys: string): boolean {
  const parts = keys.split('+');
  const last = parts.at(-1) ?? '';
  const key = ARROWS.has(last) ? `arrow${last}` : last;
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const other = isMac ? event.ctrlKey : event.metaKey;
  return (
    event.key.toLowerCase() === key &&
    mod === parts.includes('mod') &&
    !other &&
    event.altKey === parts.includes('alt') &&
    (event.shiftKey === parts.includes('shift') || /^[?+=_-]$/.test(key))
  );
}
