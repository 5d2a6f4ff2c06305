/** Where a window that was loaded from the browser door finds its WebSocket. */
export const LIVE_PATH = '/ws';
/** Answers 204 to a window that may come in, 403 to one whose cookie is not (or no longer) known. */
export const ADMITTED_PATH = '/admitted';
/** Asked by POST, also by who has no cookie: hands a new one-time link to the person's browser, and to nobody else. */
export const AGAIN_PATH = '/again';
