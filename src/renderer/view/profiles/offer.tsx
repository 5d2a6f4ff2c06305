import { KeyRound, Cpu, Link2 } from 'lucide-react';
import { go } from '../../store/app';
import { useProfiles, type ProfileField } from '../../store/profiles';
import { Button } from '../kit/button';
import type { Told } from '../kit/failure';
import { fieldOf } from '../models/add-model';

const OFFERS: Record<ProfileField, { label: string; icon: typeof Cpu }> = {
  key: { label: 'Enter key…', icon: KeyRound },
  model: { label: 'Choose model…', icon: Cpu },
  endpoint: { label: 'Correct address…', icon: Link2 },
};

/** The field of a profile that settles this failure; undefined: none does. */
export function offerOf(failure: Told): ProfileField | undefined {
  if (failure.code === 'model_request' && / names no model\.$/.test(failure.message)) return 'model';
  if (failure.code === 'model_tls' || failure.code === 'model_unreachable') return undefined;
  return fieldOf(failure);
}

/** Opens the profile with the cursor in the field that is to be changed. */
export function ProfileOffer({ failure, profile }: { failure: Told; profile: string | undefined }) {
  const own = useProfiles(({ profiles }) =>
    profiles.some((one) => one.profile.name === profile && !one.builtIn),
  );
  const field = offerOf(failure);
  if (!own || profile === undefined || field === undefined) return null;
  const { label, icon: Icon } = OFFERS[field];
  return (
    <Button
      size="s"
      icon={<Icon size="0.875rem" />}
      onClick={() => {
        useProfiles.setState({ wanted: field });
        go({ view: 'profiles', name: profile });
      }}
    >
      {label}
    </Button>
  );
}
