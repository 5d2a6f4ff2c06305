import type { MenuItemConstructorOptions } from 'electron';
import type { EventPayload } from '../../../shared/contract/contract';

export type MenuAction = EventPayload<'app.menu'>['action'];

/** The native menu: roles where the system has them, the window's own actions for the rest. */
export function menuTemplate(mac: boolean, act: (action: MenuAction) => void): MenuItemConstructorOptions[] {
  const own = (label: string, accelerator: string, action: MenuAction): MenuItemConstructorOptions => ({
    label,
    ...(accelerator !== '' && { accelerator }),
    click: () => act(action),
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const settings = [own('Models and Keys…', 'CmdOrCtrl+,', 'profiles'), own('Stores…', '', 'stores')];
  return [
    ...(mac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              { role: 'about' as const },
              line,
              ...settings,
              line,
              { role: 'services' as const },
              line,
              { role: 'hide' as const },
              { role: 'hideOthers' as const },
              { role: 'unhide' as const },
              line,
              { role: 'quit' as const },
            ],
          },
        ]
      : []),
    {
      label: '&File',
      submenu: [
        own('New chat', 'CmdOrCtrl+N', 'new'),
        line,
        own('Import runs…', '', 'import'),
        own('Export…', '', 'export'),
        ...(mac ? [line, { role: 'close' as const }] : [line, ...settings, line, { role: 'quit' as const }]),
      ],
    },
    {
      role: 'editMenu',
      label: '&Edit',
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        line,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'pasteAndMatchStyle' },
        { role: 'selectAll' },
        line,
        own('Find in run', 'CmdOrCtrl+F', 'find'),
        own('Search all runs', 'CmdOrCtrl+Shift+F', 'search'),
      ],
    },
    {
      label: '&View',
      submenu: [
        own('Command palette', 'CmdOrCtrl+K', 'palette'),
        own('All runs', '', 'browse'),
        own('Trash', '', 'trash'),
        line,
        own('Zoom in', 'CmdOrCtrl+Plus', 'zoom_in'),
        own('Zoom out', 'CmdOrCtrl+-', 'zoom_out'),
        own('Actual size', 'CmdOrCtrl+0', 'zoom_reset'),
        line,
        { role: 'togglefullscreen' },
        { role: 'reload' },
        { role: 'toggleDevTools' },
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', label: '&Help', submenu: [own('Keyboard shortcuts', 'CmdOrCtrl+/', 'shortcuts')] },
  ];
}
