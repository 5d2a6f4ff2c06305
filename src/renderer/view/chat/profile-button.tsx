import { ChevronDown, Cpu, Plus, Settings2, TriangleAlert } from 'lucide-react';
import { go } from '../../store/app';
import { useProfiles, type ProfileEntry } from '../../store/profiles';
import { Button } from '../kit/button';
import { Menu, MenuItem, MenuLine } from '../kit/menu';
import { Name } from '../kit/shown';
import s from './new-chat.module.css';

/** The profile in use, and the others. */
export function ProfileButton({
  entry,
  onChoose,
}: {
  entry: ProfileEntry | undefined;
  onChoose: (name: string) => void;
}) {
  const profiles = useProfiles((state) => state.profiles);
  return (
    <Menu
      label="Profile"
      trigger={
        <Button
          look="quiet"
          size="s"
          className={s['pick'] ?? ''}
          aria-label={`Profile: ${entry?.profile.name ?? 'none'}`}
          icon={<Cpu size="0.875rem" />}
        >
          {entry ? <Name text={entry.profile.name} /> : 'Profile'}
          <ChevronDown size="0.75rem" aria-hidden="true" />
        </Button>
      }
    >
      {profiles.map((one) => (
        <MenuItem
          key={one.profile.name}
          checked={one.profile.name === entry?.profile.name}
          icon={one.problem ? <TriangleAlert size="0.875rem" /> : undefined}
          hint={one.problem || <Name text={one.profile.model} />}
          onSelect={() => onChoose(one.profile.name)}
        >
          <Name text={one.profile.name} />
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={<Plus size="1rem" />} onSelect={() => go({ view: 'profiles', name: '' })}>
        Add a model…
      </MenuItem>
      <MenuItem icon={<Settings2 size="1rem" />} onSelect={() => go({ view: 'profiles' })}>
        Models and keys…
      </MenuItem>
    </Menu>
  );
}
