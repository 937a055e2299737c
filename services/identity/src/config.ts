import { readConfig } from '@tandem/process';
import { identitySettings } from './settings.ts';

export const settings = readConfig(identitySettings);
