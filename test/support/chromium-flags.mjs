/** Chromium as a quiet test screen: nothing of its own on the network, nothing that needs a GPU or an ordinary user. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
