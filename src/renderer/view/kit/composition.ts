/** The parts of an event that tell whether an input method is at work. */
export interface KeyPart {
  type: string;
  timeStamp: number;
  /** Of keyboard events. */
  isComposing?: boolean;
  keyCode?: number;
}

/** The code of a key that an input method took for itself. */
const TAKEN = 229;
/** Milliseconds within which two events come from one press of a key. No hand presses two keys in so short a time. */
const ONE_PRESS = 20;

/**
 * Tells which keys belong to an input method. Chromium and Firefox send the key that ends a composition before
 * `compositionend`, as composing; Safari sends it after, as if nothing were composed any more.
 */
export class CompositionKeys {
  #composing = false;
  #endedAt = -Infinity;
  #keyAt = -Infinity;

  /** Whether the event is an input method's own, so that it means nothing to the window. Each event is to be fed once. */
  takes(event: KeyPart): boolean {
    switch (event.type) {
      case 'compositionstart':
        this.#composing = true;
        return false;
      case 'compositionend':
        this.#composing = false;
        // A key just before is the one that ended it; else it is still to come.
        this.#endedAt = event.timeStamp - this.#keyAt > ONE_PRESS ? event.timeStamp : -Infinity;
        return false;
      case 'cancel':
        // A dialog is closed by Escape without any event of the key.
        return this.#composing || event.timeStamp - this.#endedAt <= ONE_PRESS;
      case 'keydown': {
        const late = event.timeStamp - this.#endedAt <= ONE_PRESS;
        this.#endedAt = -Infinity;
        this.#keyAt = event.timeStamp;
        return this.#composing || late || event.isComposing === true || event.keyCode === TAKEN;
      }
      default:
        return event.isComposing === true || event.keyCode === TAKEN;
    }
  }
}

const EVENTS = ['compositionstart', 'compositionend', 'keydown', 'keypress', 'keyup', 'cancel'] as const;

/**
 * Keeps the keys of input methods from every field, list, menu, dialog and shortcut of the window, whoever listens: the
 * key that ends a composition sends, renames, filters and closes nothing. The text itself arrives as ever.
 */
export function guardComposition(target: Window = window): void {
  const keys = new CompositionKeys();
  for (const name of EVENTS)
    target.addEventListener(
      name,
      (event) => {
        if (!keys.takes(event as KeyPart & Event)) return;
        event.stopImmediatePropagation();
        if (name === 'cancel') event.preventDefault();
      },
      true,
    );
}
