import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import './styles/tokens.css';
import './styles/base.css';
import { setClient } from './client';
import { openClient } from './client/client';
import { followAddress } from './store/address';
import { useApp } from './store/app';
import { attach } from './store/attach';
import { applyLook } from './store/look';
import { askBeforeUnload } from './store/unsaved';
import { App } from './view/app';
import { guardComposition } from './view/kit/composition';

// Before anything else listens.
guardComposition();
applyLook();
followAddress();
// The desktop window has no question of its own for this, and would stay open without a word.
askBeforeUnload(window, () => useApp.getState().hello?.door === 'browser');
const client = openClient();
setClient(client);
attach(client);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
