import { create } from 'zustand';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';
import { useApp } from './app';

interface LinkQuestion {
  url: string | undefined;
  /** Why it is not opened from here. */
  failure: FailureInfo | undefined;
}

/** The address that the window asks about, where no one else can. */
export const useLinks = create<LinkQuestion>(() => ({ url: undefined, failure: undefined }));

export const forgetLink = () => useLinks.setState({ url: undefined, failure: undefined });

/** Hands an address to the main process, which asks and opens it outside; what it cannot open is shown instead. */
export async function openLink(url: string): Promise<void> {
  try {
    const { done } = await call('link.open', { url: url.slice(0, 4096) });
    if (!done && useApp.getState().hello?.door === 'browser') useLinks.setState({ url, failure: undefined });
  } catch (error) {
    useLinks.setState({ url, failure: failureOf(error) });
  }
}
