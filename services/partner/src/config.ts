import { readConfig } from '@tandem/process';
import { partnerSettings } from './settings.ts';

export const settings = readConfig(partnerSettings);
