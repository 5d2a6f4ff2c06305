import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import './styles/tokens.css';
import './styles/base.css';
import { setClient } from './client';
import { openClient } from './client/client';
import { followAddress } from './store/address';
import { attach } from './store/attach';
import { applyLook } from './store/look';
import { App } from './view/app';
import { guardComposition } from './view/kit/composition';

// Before anything else listens.
guardComposition();
applyLook();
followAddress();
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
