import { readConfig } from '@tandem/process';
import { crmSettings } from './settings.ts';

export const settings = readConfig(crmSettings);
