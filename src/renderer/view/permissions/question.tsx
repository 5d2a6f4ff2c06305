import { usePermissions, decline } from '../../store/permissions';
import { useApp } from '../../store/app';
import { Dialog } from '../kit/dialog';
import s from './permissions.module.css';

/**
 * A question of Holdfast in the window. Its words and buttons are on a page of another origin: what runs in this page can
 * show it, and can answer no.
 */
export function QuestionDialog() {
  const question = usePermissions((state) => state.asking[0]);
  const theme = useApp((state) => state.theme);
  if (!question) return null;
  const { id, port, path } = question;
  return (
    <Dialog key={id} label="Holdfast asks for permission" onClose={() => decline(id)}>
      <iframe
        className={s['question']}
        title="Question"
        src={`http://${window.location.hostname}:${port}${path}?theme=${theme}`}
      />
    </Dialog>
  );
}
