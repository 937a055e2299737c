import { readConfig } from '@tandem/process';
import { campaignSettings } from './settings.ts';

export const settings = readConfig(campaignSettings);
