import { useState } from 'react';
import { ChevronDown, Cpu, ListPlus, Settings2, TriangleAlert } from 'lucide-react';
import type { RunHead } from '../../../shared/contract/views';
import { chooseForRun, go } from '../../store/app';
import { useProfiles, type ProfileEntry } from '../../store/profiles';
import { Button } from '../kit/button';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../kit/menu';
import { Name } from '../kit/shown';
import { useReadOnly } from '../moving/continue-here';
import { ContinueDialog } from './continue-dialog';
import { modelChoices } from './model-choices';
import { OtherModel } from './other-model';
import s from './chat.module.css';

/** The model of a run, and the others that it can go on with: in this run after a look, or in a new one. */
export function ModelMenu({ head }: { head: RunHead }) {
  const profiles = useProfiles((state) => state.profiles);
  const readOnly = useReadOnly(head.row.id);
  const [onward, setOnward] = useState<ProfileEntry>();
  const [other, setOther] = useState<ProfileEntry>();
  const { current, here, anew, why } = modelChoices(head, profiles, readOnly);
  const name = head.profile ?? head.row.model ?? '';
  const entries = (some: ProfileEntry[], onSelect: (entry: ProfileEntry) => void) =>
    some.map((entry) => (
      <MenuItem
        key={entry.profile.name}
        icon={entry.problem ? <TriangleAlert size="0.875rem" /> : undefined}
        hint={entry.problem || <Name text={entry.profile.model} />}
        onSelect={() => onSelect(entry)}
      >
        <Name text={entry.profile.name} />
      </MenuItem>
    ));
  return (
    <>
      <Menu
        label="Model"
        align="end"
        trigger={
          <Button
            look="quiet"
            size="s"
            className={s['model'] ?? ''}
            aria-label={`Model: ${name}`}
            title={[head.row.model, head.endpoint].filter(Boolean).join(' · ')}
            icon={<Cpu size="0.875rem" />}
          >
            <Name text={name} />
            <ChevronDown size="0.75rem" aria-hidden="true" />
          </Button>
        }
      >
        <MenuItem checked disabled hint={<Name text={head.row.model ?? ''} />} onSelect={() => undefined}>
          <Name text={name} />
        </MenuItem>
        {why !== undefined && <MenuLabel>{why}</MenuLabel>}
        {(here.length > 0 || current) && why === undefined && (
          <>
            <MenuLine />
            <MenuLabel>Change in this run, after a review</MenuLabel>
            {entries(here, (entry) => chooseForRun(head.row.id, entry.profile.name))}
            {current && current.profile.provider !== 'practice' && (
              <MenuItem icon={<ListPlus size="1rem" />} onSelect={() => setOther(current)}>
                Another model of this service…
              </MenuItem>
            )}
          </>
        )}
        {anew.length > 0 && why === undefined && (
          <>
            <MenuLine />
            <MenuLabel>Continue in a new run</MenuLabel>
            {entries(anew, setOnward)}
          </>
        )}
        <MenuLine />
        <MenuItem
          icon={<Settings2 size="1rem" />}
          onSelect={() => go({ view: 'profiles', ...(head.profile && { name: head.profile }) })}
        >
          Manage models…
        </MenuItem>
      </Menu>
      {onward && <ContinueDialog head={head} entry={onward} onClose={() => setOnward(undefined)} />}
      {other && <OtherModel id={head.row.id} entry={other} onClose={() => setOther(undefined)} />}
    </>
  );
}
