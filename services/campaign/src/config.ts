import { aiSettings } from '@tandem/ai';
import { readConfig } from '@tandem/process';
import { serviceSettings } from '@tandem/service';

export const settings = readConfig(serviceSettings.extend(aiSettings));
