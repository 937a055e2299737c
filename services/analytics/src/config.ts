import { readConfig } from '@tandem/process';
import { serviceSettings } from '@tandem/service';

export const settings = readConfig(serviceSettings);
