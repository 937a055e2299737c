import { readConfig } from '@tandem/process';
import { trainingSettings } from './settings.ts';

export const settings = readConfig(trainingSettings);
