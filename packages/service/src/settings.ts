import { storeSettings } from '@tandem/process';
import { z } from 'zod';

/** The settings every service has; a service extends them with its own. */
export const serviceSettings = z.object({ ...storeSettings, ENCRYPTION_KEY: z.string() });

export type ServiceSettings = z.output<typeof serviceSettings>;
