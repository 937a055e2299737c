import { readConfig } from '@tandem/process';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';

const seconds = z.codec(
  z.string().regex(/^\d+(\.\d+)?(,\d+(\.\d+)?)*$/, 'Must be seconds, separated by commas'),
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
    /** Lifts the rules about addresses, ports and https, so that a receiver on the same machine can be reached. */
    WEBHOOK_ALLOW_PRIVATE_TARGETS: z.stringbool().default(process.env['NODE_ENV'] === 'development'),
    /** The wait before each attempt, instead of the schedule of the environment. */
    WEBHOOK_RETRY_SCHEDULE_SECONDS: seconds.optional(),
    WEBHOOK_TIMEOUT_SECONDS: z.coerce.number().positive().max(60).default(15),
    /** An HTTP proxy that all deliveries leave through. It resolves names, so it has to refuse private addresses itself. */
    WEBHOOK_PROXY_URL: z.url().optional(),
  }),
);
