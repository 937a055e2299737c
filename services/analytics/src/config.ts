import { readConfig } from '@tandem/process';
import { analyticsSettings } from './settings.ts';

export const settings = readConfig(analyticsSettings);
