import type { Profile } from '../../shared/run/profile';
import { anthropicModel } from './anthropic';
import type { ModelOptions } from './client';
import type { Model } from './model';
import { openaiModel } from './openai';
import { practiceModel } from './practice';

/** The model that a profile names. Nothing is asked of the service yet, and no key is looked up. */
export function modelFor(profile: Profile, options: ModelOptions = {}): Model {
  switch (profile.provider) {
    case 'practice':
      return practiceModel();
    case 'anthropic':
      return anthropicModel(profile, options);
    case 'openai':
      return openaiModel(profile, options);
  }
}
