import { CHUNK_BYTES, MOST_UPLOADS } from '../../shared/contract/moving';
import { call } from '../client';

/** A file to import and what it is called: relative, with `/`. */
export interface Picked {
  name: string;
  file: File;
}

/** Sends files in pieces, one after another. Rejects with the Failure of the piece that was refused. */
export async function sendFiles(job: string, files: readonly Picked[]): Promise<void> {
  for (const [n, { file }] of files.entries())
    for (let offset = 0; offset < file.size; offset += CHUNK_BYTES) {
      const bytes = new Uint8Array(await file.slice(offset, offset + CHUNK_BYTES).arrayBuffer());
      await call('import.chunk', { job, file: n, offset, data: base64(bytes) });
    }
}

const STEP = 0x8000;
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP)
    text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}

/** Files of a file field, also of one that takes folders. */
export const filesOf = (list: FileList | null): Picked[] =>
  [...(list ?? [])]
    .map((file) => ({ name: file.webkitRelativePath || file.name, file }))
    .filter(({ name }) => isWanted(name))
    .slice(0, MOST_UPLOADS);

/** Everything that was dropped, folders with what is in them. Must be called while the drop is being handled. */
export async function filesDropped(data: DataTransfer): Promise<Picked[]> {
  const items = [...data.items].filter(({ kind }) => kind === 'file');
  // Both are gone once the drop was handled; what has no entry (a picture from a page, say) is a file at least.
  const held = items.map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found: Picked[] = [];
  for (const one of held) {
    if (one instanceof File) found.push({ name: one.name, file: one });
    else if (one) await walk(one, found);
  }
  return found;
}

async function walk(entry: FileSystemEntry, found: Picked[]): Promise<void> {
  const name = entry.fullPath.replace(/^\//, '');
  if (found.length >= MOST_UPLOADS || !isWanted(name)) return;
  if (isFile(entry)) {
    const file = await new Promise<File | undefined>((resolve) =>
      entry.file(resolve, () => resolve(undefined)),
    );
    if (file) found.push({ name, file });
    return;
  }
  if (!isFolder(entry)) return;
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (some.length === 0) return;
    for (const one of some) await walk(one, found);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** Hidden files are none of a person's runs, and what was deleted stays deleted; labels beside runs come along. */
const isWanted = (name: string): boolean =>
  name
    .split('/')
    .every(
      (part, n) => (!part.startsWith('.') || part === '.catalogue.jsonl') && !(n > 0 && part === 'trash'),
    );
