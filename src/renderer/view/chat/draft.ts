import { useEffect } from 'react';
import { loadDraft, useDrafts } from '../../store/drafts';
import { runDraft } from '../../store/waiting';

/** What is typed in the message field of a run and not sent. */
export function useDraft(id: string): string {
  const field = runDraft(id);
  useEffect(() => void loadDraft(field), [field]);
  return useDrafts((state) => state.texts[field]) ?? '';
}
