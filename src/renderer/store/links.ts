import { create } from 'zustand';
import type { FailureInfo } from '../../shared/run/failure';
import { call, failureOf } from '../client';

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
    await call('link.open', { url: url.slice(0, 4096) });
  } catch (error) {
    const failure = failureOf(error);
    const checked = failure.data?.['href'];
    // The browser door opens nothing by itself: it hands the checked address back, and the person's click opens it.
    if (typeof checked === 'string') useLinks.setState({ url: checked, failure: undefined });
    else useLinks.setState({ url, failure });
  }
}
