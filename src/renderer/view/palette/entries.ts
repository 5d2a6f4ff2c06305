import {
  ChartColumn,
  Columns2,
  Cpu,
  Database,
  Download,
  Eye,
  GitFork,
  History,
  Keyboard,
  ListTree,
  MessageSquarePlus,
  Monitor,
  Moon,
  PanelLeft,
  Search,
  ShieldCheck,
  Sun,
  Table2,
  Trash2,
  TriangleAlert,
  Upload,
  WrapText,
  ZoomIn,
  ZoomOut,
} from 'lucide-react';
import {
  go,
  openRun,
  setBreaks,
  setTheme,
  show,
  useApp,
  stepZoom,
  exportOf,
  importRuns,
} from '../../store/app';
import { compareWith, forkOf } from '../../store/moving';
import { jump } from '../../store/goal';
import { startFind, usePanel } from '../../store/reading';
import { openSearch } from '../../store/search';
import { toggleLibrary } from '../keyboard';

export interface Entry {
  label: string;
  icon: typeof Sun;
  keys?: string;
  run: () => void;
}

/** Everything that can be done by name, the nearest at hand first. `run`: key of the run that is shown. */
export function entriesFor(run: string | undefined): Entry[] {
  return [
    { label: 'New chat', icon: MessageSquarePlus, keys: 'mod+n', run: () => go({ view: 'new' }) },
    { label: 'Search all text', icon: Search, keys: 'mod+shift+f', run: () => openSearch() },
    ...(run === undefined ? [] : entriesOfRun(run)),
    { label: 'All runs', icon: Table2, run: () => go({ view: 'browse' }) },
    { label: 'Trash', icon: Trash2, run: () => go({ view: 'browse', trash: true }) },
    { label: 'Import runs', icon: Upload, run: () => importRuns() },
    { label: 'Models and keys', icon: Cpu, keys: 'mod+,', run: () => go({ view: 'profiles' }) },
    { label: 'Permissions', icon: ShieldCheck, run: () => go({ view: 'permissions' }) },
    { label: 'Earlier prompts and tools', icon: History, run: () => show('versions') },
    { label: 'Stores', icon: Database, run: () => go({ view: 'stores' }) },
    { label: 'Show or hide the library', icon: PanelLeft, keys: 'mod+b', run: toggleLibrary },
    { label: 'Keyboard shortcuts', icon: Keyboard, keys: 'mod+/', run: () => show('shortcuts') },
    { label: 'Theme: like the system', icon: Monitor, run: () => setTheme('system') },
    { label: 'Theme: light', icon: Sun, run: () => setTheme('light') },
    { label: 'Theme: dark', icon: Moon, run: () => setTheme('dark') },
    {
      label: useApp.getState().breaks
        ? 'Join single line breaks in answers'
        : 'Keep single line breaks in answers',
      icon: WrapText,
      run: () => setBreaks(!useApp.getState().breaks),
    },
    { label: 'Larger', icon: ZoomIn, keys: 'mod+=', run: () => stepZoom(1) },
    { label: 'Smaller', icon: ZoomOut, keys: 'mod+-', run: () => stepZoom(-1) },
    { label: 'Normal size', icon: ZoomIn, keys: 'mod+0', run: () => stepZoom(0) },
  ];
}

function beside(run: string, panel: 'turns' | 'usage'): void {
  openRun(run, 'transcript');
  usePanel.setState({ panel });
}

/** What can be done with the run that is shown. */
function entriesOfRun(run: string): Entry[] {
  return [
    { label: 'Find in this run', icon: Search, keys: 'mod+f', run: startFind },
    { label: 'Read the transcript of this run', icon: Eye, run: () => openRun(run, 'transcript') },
    { label: 'Table of turns of this run', icon: ListTree, run: () => beside(run, 'turns') },
    { label: 'Usage and cost of this run', icon: ChartColumn, run: () => beside(run, 'usage') },
    { label: 'Next error in this run', icon: TriangleAlert, keys: 'F8', run: () => jump({ next: 'error' }) },
    { label: 'Export this run', icon: Download, run: () => exportOf([run]) },
    { label: 'Fork this run', icon: GitFork, run: () => forkOf(run) },
    {
      label: 'Compare this run with another',
      icon: Columns2,
      run: () => compareWith({ id: run, onPick: (other) => go({ view: 'compare', a: run, b: other }) }),
    },
  ];
}
