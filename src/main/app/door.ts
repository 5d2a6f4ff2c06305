import type { OutsideLink } from './link';

/** What the person decides outside the page, so that a script inside it cannot. */
export interface Question {
  /** The question itself. */
  message: string;
  /** What exactly it is about. */
  detail: string;
  /** The word on the button that agrees. */
  yes: string;
}

/** A question that is open in a page of its own, for the window to show. */
export interface OpenQuestion {
  id: string;
  port: number;
  path: string;
}

/** What a door can do for the core that a window cannot be trusted with, or that only the door's system has. */
export interface Door {
  readonly kind: 'electron' | 'browser';
  /** Native folder dialog; resolves to '' when dismissed. Absent: the window shows a picker of its own. */
  pickFolder?(): Promise<string>;
  /**
   * Native dialog for a file to write, which asks before it replaces one; resolves to '' when dismissed. Absent: the
   * window's own picker chooses a folder.
   */
  saveTo?(name: string): Promise<string>;
  /** Shows a file or folder in the system's file manager. */
  show?(path: string): void;
  /** Asks where no script of the window can answer. false also when nobody can be asked. */
  confirm(question: Question): Promise<boolean>;
  /** Questions that the window shows in a frame. Absent: the door asks in dialogs of the system. */
  questions?(): OpenQuestion[];
  /** Answers an open question with no. */
  decline?(id: string): void;
  /** Shows the host, asks, and opens the address when the person agrees. Absent: the window shows a card. */
  openOutside?(link: OutsideLink): Promise<boolean>;
  /** The person chose a theme. */
  theme?(theme: 'system' | 'light' | 'dark'): void;
  /** A run waits, finished or failed. */
  attention?(event: Attention): void;
}

export interface Attention {
  id: string;
  title: string;
  what: 'waiting' | 'finished' | 'failed';
  detail: string;
}
