import { readConfig } from '@tandem/process';
import { integrationsSettings } from './settings.ts';

export const settings = readConfig(integrationsSettings);
