import type { Profile } from '../../shared/run/profile';
import { anthropicModel } from './anthropic';
import type { Model } from './model';
import { openaiModel } from './openai';
import { practiceModel } from './practice';

/** The model that a profile names. Nothing is asked of the service yet, and no key is looked up. */
export function modelFor(profile: Profile): Model {
  switch (profile.provider) {
    case 'practice':
      return practiceModel();
    case 'anthropic':
      return anthropicModel(profile);
    case 'openai':
      return openaiModel(profile);
  }
}
