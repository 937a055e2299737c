import { readConfig } from '@tandem/process';
import { filesSettings } from './settings.ts';

export const settings = readConfig(filesSettings);
