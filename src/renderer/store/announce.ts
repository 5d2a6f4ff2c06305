import { create } from 'zustand';

/** What the polite live region says. `n` grows, so that the same sentence is said again. */
export const useAnnounce = create<{ text: string; n: number }>(() => ({ text: '', n: 0 }));

export const announce = (text: string) => useAnnounce.setState((state) => ({ text, n: state.n + 1 }));
