import { readConfig } from '@tandem/process';
import { agentsSettings } from './settings.ts';

export const settings = readConfig(agentsSettings);
