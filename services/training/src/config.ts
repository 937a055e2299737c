import { readConfig } from '@tandem/process';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

export const settings = readConfig(serviceSettings.extend({ IDENTITY_URL: z.url(), FILES_URL: z.url() }));
