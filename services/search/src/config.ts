import { readConfig } from '@tandem/process';
import { searchSettings } from './settings.ts';

export const settings = readConfig(searchSettings);
