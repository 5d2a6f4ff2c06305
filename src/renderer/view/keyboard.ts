import { useEffect } from 'react';
import { go, openRun, show, stepZoom, useApp } from '../store/app';
import { jump } from '../store/goal';
import { startFind } from '../store/reading';
import { useRun } from '../store/run';
import { openSearch } from '../store/search';
import { stop } from './chat/header';
import { pressed } from './kit/keys';

export interface Shortcut {
  keys: string;
  does: string;
  /** Works in the whole window; absent: told here, done where it applies. */
  run?: () => void;
}

export function toggleLibrary(): void {
  const { narrow, drawer, folded } = useApp.getState();
  useApp.setState(narrow ? { drawer: !drawer } : { folded: !folded });
}

/** Moves the focus on to the next part of the window: library, conversation, message. */
function nextRegion(): void {
  const regions = [
    document.querySelector<HTMLElement>('[data-run-row][tabindex="0"]'),
    document.querySelector<HTMLElement>('main [role="region"][tabindex="0"]'),
    document.querySelector<HTMLElement>('[data-composer]'),
  ].filter((region) => region !== null);
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  regions[(at + 1) % regions.length]?.focus();
}

function stopRun(): void {
  const { id, head } = useRun.getState();
  if (id !== undefined && head?.mode === 'live') stop(id);
}

/** Jumps in the run that is shown. */
function reading(target: Parameters<typeof jump>[0]): void {
  const { place } = useApp.getState();
  if (place.view === 'run' && place.pane !== 'resume') jump(target);
}

function toStep(): void {
  const { place } = useApp.getState();
  if (place.view !== 'run') return;
  const focus = () => document.querySelector<HTMLElement>('[data-step]')?.focus();
  if (place.pane === 'transcript') return focus();
  openRun(place.id, 'transcript');
  // The field comes with the transcript.
  requestAnimationFrame(focus);
}

export const SHORTCUTS: { title: string; list: Shortcut[] }[] = [
  {
    title: 'Everywhere',
    list: [
      { keys: 'mod+k', does: 'Commands and runs', run: () => show('palette') },
      { keys: 'mod+shift+f', does: 'Search all text', run: () => openSearch() },
      { keys: 'mod+n', does: 'New chat', run: () => go({ view: 'new' }) },
      {
        keys: 'alt+n',
        does: 'New chat, where the browser keeps the one above',
        run: () => go({ view: 'new' }),
      },
      { keys: 'mod+b', does: 'Show or hide the library', run: toggleLibrary },
      { keys: 'mod+,', does: 'Models and keys', run: () => go({ view: 'profiles' }) },
      { keys: 'mod+/', does: 'This page', run: () => show('shortcuts') },
      { keys: 'F6', does: 'Library, conversation, message', run: nextRegion },
      { keys: 'mod+=', does: 'Larger', run: () => stepZoom(1) },
      { keys: 'mod+-', does: 'Smaller', run: () => stepZoom(-1) },
      { keys: 'mod+0', does: 'Normal size', run: () => stepZoom(0) },
    ],
  },
  {
    title: 'In a chat',
    list: [
      { keys: 'enter', does: 'Send, or queue while it works' },
      { keys: 'shift+enter', does: 'New line' },
      { keys: 'mod+.', does: 'Stop now', run: stopRun },
      { keys: 'mod+f', does: 'Find in this run', run: startFind },
      { keys: 'space', does: 'Allow, on the button of an approval (Enter does not)' },
    ],
  },
  {
    title: 'Reading a run',
    list: [
      { keys: 'alt+up', does: 'Previous message of yours', run: () => reading({ previous: 'prompt' }) },
      { keys: 'alt+down', does: 'Next message of yours', run: () => reading({ next: 'prompt' }) },
      { keys: 'shift+F8', does: 'Previous error', run: () => reading({ previous: 'error' }) },
      { keys: 'F8', does: 'Next error', run: () => reading({ next: 'error' }) },
      { keys: 'mod+g', does: 'Go to a step', run: toStep },
    ],
  },
  {
    title: 'In the library',
    list: [
      { keys: 'up', does: 'Run above' },
      { keys: 'down', does: 'Run below' },
      { keys: 'enter', does: 'Open' },
      { keys: 'F2', does: 'Rename' },
      { keys: 'delete', does: 'Delete, with undo' },
    ],
  },
  {
    title: 'In the table of all runs',
    list: [
      { keys: 'space', does: 'Select, or not' },
      { keys: 'shift+down', does: 'Select up to the next' },
      { keys: 'mod+a', does: 'Select all that match' },
      { keys: 'escape', does: 'Select none' },
      { keys: 'enter', does: 'Open' },
      { keys: 'F2', does: 'Rename' },
      { keys: 'delete', does: 'Delete what is selected, with undo' },
    ],
  },
];

/** Keys that work wherever the focus is. */
export function useKeyboard(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const { place, overlay } = useApp.getState();
      // A dialog of the platform owns the keys while it is open, except those that toggle layers.
      const layered = overlay !== undefined || document.querySelector('dialog[open]') !== null;
      for (const { list } of SHORTCUTS) {
        for (const { keys, run } of list) {
          if (!run || !pressed(event, keys.toLowerCase())) continue;
          if (layered && !/^mod\+[k/=0-]$/.test(keys)) continue;
          if (keys === 'mod+f' && place.view !== 'run') continue;
          event.preventDefault();
          run();
          return;
        }
      }
      if (pressed(event, 'mod++')) {
        event.preventDefault();
        stepZoom(1);
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
