import { readConfig } from '@tandem/process';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

const seconds = z.codec(
  z.string().regex(/^\d+(\.\d+)?(,\d+(\.\d+)?)*$/, 'Must be numbers of seconds, separated by commas'),
  z.array(z.number()).max(50),
  {
    decode: (text) => text.split(',').map(Number),
    encode: (list) => list.join(','),
  },
);

export const settings = readConfig(
  serviceSettings.extend({
    IDENTITY_URL: z.url(),
    IDS_ALPHABET: z.string().length(62),
    /** Allows private addresses, any port and http, so that local receivers can be reached. */
    WEBHOOK_ALLOW_PRIVATE_TARGETS: z.stringbool().default(process.env['NODE_ENV'] === 'development'),
    /** Delay before each attempt; replaces the default schedules. */
    WEBHOOK_RETRY_SCHEDULE_SECONDS: seconds.optional(),
    WEBHOOK_TIMEOUT_SECONDS: z.coerce.number().positive().max(60).default(15),
    /** HTTP proxy for all deliveries. The proxy resolves names, so it must block private addresses itself. */
    WEBHOOK_PROXY_URL: z.url().optional(),
  }),
);
