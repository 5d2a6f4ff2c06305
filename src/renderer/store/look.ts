import { useApp } from './app';

/** Below this width (in pixels at 100 %) the library lies over the rest instead of beside it. */
const NARROW = 780;

/** Puts theme and zoom on the page, now and whenever they change, and watches the width. */
export function applyLook(): void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const apply = () => {
    const { theme, zoom, narrow } = useApp.getState();
    const shown = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
    if (root.dataset['theme'] !== shown) root.dataset['theme'] = shown;
    const size = `${Math.round(zoom * 1600) / 100}px`;
    if (root.style.fontSize !== size) root.style.fontSize = size;
    const now = window.innerWidth / zoom < NARROW;
    if (now !== narrow) useApp.setState({ narrow: now, drawer: false });
  };
  dark.addEventListener('change', apply);
  window.addEventListener('resize', apply);
  useApp.subscribe(apply);
  apply();
}
