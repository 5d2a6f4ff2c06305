import { inSlices } from '../../../shared/run/slices';
import { printable } from '../../../shared/run/transcript';

const ENTITIES: Record<string, string> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text inside HTML or an attribute: no character of it is markup, and none moves or reorders what is around it. */
export const escaped = (text: string): string =>
  inSlices(printable(text), (slice) => slice.replace(/[<>&"']/g, (char) => ENTITIES[char] ?? char));
